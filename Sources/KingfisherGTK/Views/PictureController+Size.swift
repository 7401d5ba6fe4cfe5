#if GTK
import CGTK
import Foundation
import Kingfisher

/// In which size images are decoded, and when again.
extension PictureController {
    // MARK: Size

    func needsSize(_ options: KingfisherParsedOptionsInfo) -> Bool {
        sizing.decodeSize == .fitView && options.processor.identifier.isEmpty
    }

    /// The options with the view's size in them, where that is wanted and known.
    func sized(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        guard needsSize(options), let box else { return options }
        var options = options
        if options.scaleFactor == 1 { options.scaleFactor = CGFloat(scaleFactor) }
        options.processor = ViewSizeProcessor(
            size: box,
            density: options.scaleFactor,
            covers: sizing.covers
        )
        // Another size is then made from the disk, not from the network.
        options.cacheOriginalImage = true
        return options
    }

    /// The size that the view has whatever it shows, in logical pixels; nil while there is none.
    var box: CGSize? {
        if let fixed = sizing.fixedBox { return fixed }
        var width: Int32 = 0
        var height: Int32 = 0
        gtk_widget_get_size_request(widget, &width, &height)
        if width > 0, height > 0, !expands {
            return CGSize(width: Int(width), height: Int(height))
        }
        width = gtk_widget_get_width(widget)
        height = gtk_widget_get_height(widget)
        guard width > 0, height > 0 else { return nil }
        let size = CGSize(width: Int(width), height: Int(height))
        // A view that is exactly as large as its image was given that size by it. The image then
        // says nothing about the next one's, unless it was itself decoded for the view.
        let isNatural =
            canvas.hasNaturalSize && image.map { $0.size == size } == true
            && sizing.decodedFor != size
        return isNatural ? nil : size
    }

    /// The size that the caller asks for; nil unless both sides are.
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

    /// The box in the screen's pixels.
    var boxInPixels: CGSize? {
        let scale = CGFloat(scaleFactor)
        return box.map { CGSize(width: $0.width * scale, height: $0.height * scale) }
    }

    // MARK: Growing

    /// The picture is being painted: nothing may be changed now.
    func isPainted() {
        guard needsReload, !sizing.isReloadPlanned else { return }
        sizing.isReloadPlanned = true
        Task { [weak self] in
            // A window that is being dragged larger is waited for.
            // The sleep ends early only when the task is cancelled, which nobody does.
            try? await Task.sleep(for: Self.patience)
            self?.reloadIfNeeded()
        }
    }

    func sizeMayHaveChanged() {
        if pending == nil { reloadIfNeeded() }
    }

    private var needsReload: Bool {
        guard let decodedFor = sizing.decodedFor, sizing.reload != nil, let image, let box else {
            return false
        }
        let scale = CGFloat(scaleFactor)
        let isLarger = box.width > decodedFor.width || box.height > decodedFor.height
        // A picture that has fewer pixels than it was asked for has no more.
        return (isLarger || scale > image.scale) && image.fills(decodedFor, covers: sizing.covers)
    }

    private func reloadIfNeeded() {
        sizing.isReloadPlanned = false
        guard pending == nil, binding.identifier == nil, needsReload,
            let (source, options, manager) = sizing.reload, let box
        else { return }
        var sized = sized(options).givingTexture
        sized.transition = .none
        sized.keepCurrentImageWhileLoading = true
        sized.onFailureImage = .none
        isRefining = true
        binding.load(
            source,
            into: self,
            placeholder: nil,
            options: sized,
            by: manager,
            completion: { [weak self] result in
                self?.isRefining = false
                if case .success = result { self?.sizing.decodedFor = box }
            }
        )
    }
}

extension KFCrossPlatformImage {
    /// Whether the image was scaled down to a box, as opposed to being smaller by itself.
    fileprivate func fills(_ box: CGSize, covers: Bool) -> Bool {
        // One pixel is lost in rounding.
        let wide = size.width + 1 >= box.width
        let high = size.height + 1 >= box.height
        return covers ? wide && high : wide || high
    }
}
#endif
