#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// The size to which images are decoded, and when they are decoded again.
extension PictureController {
    // MARK: Size

    func needsSize(_ options: KingfisherParsedOptionsInfo) -> Bool {
        sizing.decodeSize == .fitView && options.processor.identifier.isEmpty
    }

    /// The options extended by the view's size, if it is needed and known.
    func sized(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        sized(options, for: box)
    }

    func sized(
        _ options: KingfisherParsedOptionsInfo,
        for box: DecodeBox?
    ) -> KingfisherParsedOptionsInfo {
        guard needsSize(options), let box else { return options }
        var options = options
        if options.scaleFactor == 1 { options.scaleFactor = CGFloat(density) }
        options.processor = ViewSizeProcessor(
            size: box.size,
            density: options.scaleFactor,
            covers: box.covers
        )
        // Other sizes are then made from the file on disk rather than downloaded.
        options.cacheOriginalImage = true
        return options
    }

    /// The size to decode to; nil before the view was laid out.
    var box: DecodeBox? {
        if let fixed = exactSize { return DecodeBox(size: fixed, covers: sizing.covers) }
        guard gtk_widget_get_width(widget) > 0, gtk_widget_get_height(widget) > 0 else {
            return nil
        }
        return boxInLayout
    }

    /// The size to decode to if the view were shown now; nil outside of windows.
    var likelyBox: DecodeBox? { box ?? boxInLayout }

    /// The size set by the caller; nil if the layout may change it.
    private var exactSize: CGSize? {
        if let fixed = sizing.fixedBox { return fixed }
        return expands ? nil : sizeRequest
    }

    /// The size that the layout assigns independently of the image, or otherwise the available
    /// space.
    private var boxInLayout: DecodeBox? {
        var isWidthOwn = false
        var isHeightOwn = false
        var width = kf_widget_get_space(picture, false, &isWidthOwn)
        var height = kf_widget_get_space(picture, true, &isHeightOwn)
        if !canvas.hasNaturalSize, gtk_widget_get_width(widget) > 0 {
            // The image does not affect the layout, so the view's size is independent of it.
            (width, isWidthOwn) = (gtk_widget_get_width(widget), true)
            (height, isHeightOwn) = (gtk_widget_get_height(widget), true)
        }
        guard width > 0, height > 0 else { return nil }
        return DecodeBox(
            size: CGSize(width: DecodeBox.step(width), height: DecodeBox.step(height)),
            // Only a side that is independent of the image can be covered.
            covers: sizing.covers && isWidthOwn && isHeightOwn
        )
    }

    /// The size requested by the caller; nil unless both sides are requested.
    var sizeRequest: CGSize? {
        var width: Int32 = 0
        var height: Int32 = 0
        gtk_widget_get_size_request(widget, &width, &height)
        guard width > 0, height > 0 else { return nil }
        return CGSize(width: Int(width), height: Int(height))
    }

    private var expands: Bool {
        gtk_widget_compute_expand(widget, GTK_ORIENTATION_HORIZONTAL) != 0
            || gtk_widget_compute_expand(widget, GTK_ORIENTATION_VERTICAL) != 0
    }

    /// The box in pixels of the screen.
    var boxInPixels: CGSize? {
        let scale = CGFloat(density)
        return box.map { CGSize(width: $0.size.width * scale, height: $0.size.height * scale) }
    }

    // MARK: Reloading in a larger size

    /// Called while the view is painted, when nothing may be changed.
    func isPainted() {
        if needsReload || needsLargerFrames { planReload() }
    }

    func sizeMayHaveChanged() { isPainted() }

    /// Values that change while a window is resized: the size of the view, and the space around it.
    private var layout: [CGFloat] {
        let width = CGFloat(gtk_widget_get_width(widget))
        let height = CGFloat(gtk_widget_get_height(widget))
        return [width, height, box?.size.width ?? 0, box?.size.height ?? 0]
    }

    /// Reloads once the size has not changed for a moment, for example after a window was resized.
    private func planReload() {
        guard !sizing.isReloadPlanned else { return }
        sizing.isReloadPlanned = true
        var last = layout
        Task { [weak self] in
            while true {
                await Self.rest(Self.patience)
                guard let self else { return }
                if layout == last { break }
                last = layout
            }
            self?.sizing.isReloadPlanned = false
            self?.reloadIfNeeded()
        }
    }

    private var needsReload: Bool {
        guard sizing.reload != nil, animation.player == nil, let image, let box else {
            return false
        }
        if sizing.isGuessed, box.factor(of: image.size) < 2 / 3 { return true }
        guard let decodedFor = sizing.decodedFor else { return false }
        let isLarger =
            box.size.width > decodedFor.width || box.size.height > decodedFor.height
        // An image with fewer pixels than requested has no more detail.
        return (isLarger || CGFloat(density) > image.scale)
            && image.fills(decodedFor, covers: box.covers)
    }

    private func reloadIfNeeded() {
        if needsLargerFrames { replaceFrames() }
        guard pending == nil, binding.identifier == nil, needsReload,
            let (source, options, manager) = sizing.reload, let box
        else { return }
        var sized = sized(options).givingTexture
        sized.transition = .none
        sized.keepCurrentImageWhileLoading = true
        sized.onFailureImage = .none
        isRefining = true
        keepingPicture {
            _ = binding.load(
                source,
                into: self,
                placeholder: nil,
                options: sized,
                by: manager,
                completion: { [weak self] result in
                    self?.isRefining = false
                    guard let self, case .success = result else { return }
                    sizing.decodedFor = box.size
                    sizing.isGuessed = false
                }
            )
        }
    }

    // MARK: Frames

    /// Whether the frames of an animation were decoded smaller than the view shows them, or in full
    /// size because the view's size was unknown.
    private var needsLargerFrames: Bool {
        guard animation.prescales, let player = animation.player, let box = boxInPixels,
            let frame = animation.shownFrame ?? player.currentFrame
        else { return false }
        let own = CGSize(width: frame.pixelWidth, height: frame.pixelHeight)
        guard let made = animation.frameBox else {
            return box.width < own.width && box.height < own.height
        }
        let isLarger = box.width > made.width || box.height > made.height
        // A frame with fewer pixels than requested has no more detail. Rounding may lose one pixel.
        return isLarger && (own.width + 1 >= made.width || own.height + 1 >= made.height)
    }
}

extension KFCrossPlatformImage {
    /// Whether the image was scaled down to a box, rather than being smaller itself.
    fileprivate func fills(_ box: CGSize, covers: Bool) -> Bool {
        // Rounding may lose one pixel.
        let wide = size.width + 1 >= box.width
        let high = size.height + 1 >= box.height
        return covers ? wide && high : wide || high
    }
}
#endif
