#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The image of a ``KFZoomView``; attached to its GtkPicture and released with it.
///
/// The controller of the GtkPicture loads and shows the image, as in every view. This object places
/// it, and adds a part of it in the resolution of the screen.
final class ZoomState {
    private static let data = ObjectData<ZoomState>(name: "kingfisher-zoom")
    /// How long nothing must move before a part is decoded.
    static let pause = Duration.milliseconds(80)

    /// The GtkPicture; not retained, because it owns this object.
    let picture: UnsafeMutableRawPointer
    /// Unowned: the GtkPicture owns both, and the controller must not outlive it.
    unowned let controller: PictureController
    private(set) var geometry = ZoomGeometry()
    var onZoomChange: ((Double) -> Void)?
    /// The part that is shown in the screen's resolution.
    private(set) var detail: ZoomGeometry.Detail?

    private var zoomable: GObjectReference?
    /// The load of the image; nil until the size of its file is known, and for an image of the
    /// caller's.
    private var load: PendingLoad?
    /// The zoom that was reported last.
    private var reportedZoom = 1.0
    /// Whether the image is still counted in the pixels to which it was decoded.
    private var awaitsSize = false
    private var sharpening: Task<Void, Never>?
    private let sharpener = ImageBinding()
    /// Receives the part.
    private var part: Refinement?

    init() {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_picture_new() else { preconditionFailure("GTK has no memory") }
        picture = UnsafeMutableRawPointer(widget)
        kf_picture_set_fill(picture)
        gtk_picture_set_can_shrink(OpaquePointer(picture), 1)
        controller = .of(picture)
        Self.data.set(self, on: picture)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let canvas = controller.canvas
        guard let made = kf_zoomable_new(canvas.paintable.address, ZoomCallbacks.painted, context)
        else { preconditionFailure("GObject has no memory") }
        let zoomable = GObjectReference(adopting: made)
        self.zoomable = zoomable
        canvas.surround(by: zoomable)
        canvas.fit = KF_FIT_CONTAIN
        canvas.hasNaturalSize = false
        controller.sizing.covers = false
        controller.sizing.usualSize = CGSize(width: 1_024, height: 768)
        controller.loader.awaitsFileSize = true
        // Weak, because the controller may outlive this object.
        controller.content.onChange = { [weak self] in self?.contentChanged() }
        controller.loader.onSettled = { [weak self] in self?.settled($0) }
        kf_widget_add_zoom(picture, ZoomCallbacks.zoomed, context)
    }

    isolated deinit {
        // Other widgets may retain the paintable.
        if let zoomable { kf_zoomable_detach(zoomable.address) }
        sharpening?.cancel()
        sharpener.cancel()
    }

    // MARK: The whole image

    /// Loads an image; the previous one stays until then, unless there is a placeholder.
    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        _ options: KingfisherOptionsInfo,
        by manager: KingfisherManager,
        _ completion: ((Result<CGSize, any Error>) -> Void)?
    ) {
        var options = KingfisherParsedOptionsInfo(manager.defaultOptions + options)
        options.processor = DefaultImageProcessor.default
        // The file is on disk, and other sizes are made of it.
        options.cacheMemoryOnly = true
        if placeholder == nil { options.keepCurrentImageWhileLoading = true }
        let ending = completion.map(LoadEnding.init)
        controller.loader.load(
            source,
            placeholder: placeholder,
            options: options,
            by: manager,
            completion: { [weak self] result in
                ending?.call(result.map { self?.load?.fileSize ?? $0.image.pixelSize })
            }
        )
    }

    /// Places an image that has replaced another one.
    private func contentChanged() {
        // A larger version of the same image.
        if let load, load === controller.loader.shownLoad { return planSharpening() }
        load = nil
        awaitsSize = controller.loader.isLoading
        stopSharpening()
        releaseDetail()
        let image = controller.status.showsImage ? controller.content.image : nil
        change {
            $0.image = image?.pixelSize ?? .zero
            $0.fit()
        }
    }

    /// Counts in pixels of the file, whose size is known now.
    private func settled(_ load: PendingLoad) {
        // The image may be the one of before, from memory.
        if load !== self.load { releaseDetail() }
        self.load = load
        awaitsSize = false
        change {
            $0.image = load.fileSize ?? controller.content.image?.pixelSize ?? .zero
            $0.fit()
        }
        reportZoom()
        planSharpening()
    }

    /// The size of the whole image in pixels.
    private var wholeSize: CGSize { controller.content.image?.pixelSize ?? .zero }

    // MARK: Changes

    /// Changes the place of the image and plans to sharpen it.
    func change(_ body: (inout ZoomGeometry) -> Void) {
        let before = geometry
        body(&geometry)
        guard geometry != before else { return }
        if let zoomable { kf_zoomable_queue_draw(zoomable.address) }
        planSharpening()
        reportZoom()
    }

    /// Reports a new zoom once it is counted in pixels of the file.
    private func reportZoom() {
        let zoom = Double(geometry.scale * geometry.density)
        guard zoom != reportedZoom, !awaitsSize else { return }
        reportedZoom = zoom
        onZoomChange?(zoom)
    }

    /// - Returns: Whether the event has an effect.
    fileprivate func handle(
        _ event: KFZoomEvent,
        _ value: Double,
        _ x: Double,
        _ y: Double
    ) -> Bool {
        guard geometry.image.isDrawable else { return false }
        if event == KF_ZOOM_MOVE, geometry.isFitted { return false }
        let point = CGPoint(x: x, y: y)
        keeping(picture) {
            change {
                switch event {
                case KF_ZOOM_BY: $0.zoom(by: value, at: point)
                case KF_ZOOM_MOVE: $0.move(by: x, y)
                case KF_ZOOM_TOGGLE: $0.toggle(at: point)
                case KF_ZOOM_FIT: $0.fit()
                default: $0.zoom(to: $0.actualScale, at: point)
                }
            }
        }
        return true
    }

    /// Called while the view is painted: places the image, and requests no frame.
    fileprivate func isPainted(width: Double, height: Double) {
        let before = geometry
        let density = CGFloat(ViewSizing.readDensity(picture))
        geometry.resize(to: CGSize(width: width, height: height), density: density)
        // A placeholder has no place of its own.
        let place = geometry.image.isDrawable ? geometry.place : .zero
        guard let address = zoomable?.address else { return }
        kf_zoomable_set_place(address, place.minX, place.minY, place.width, place.height)
        guard geometry != before else { return }
        planSharpening()
        // Later, because the caller's code may change the view.
        Task { [weak self] in
            guard let self, controller.canvas.isAlive else { return }
            keeping(picture) { reportZoom() }
        }
    }

    // MARK: Sharpening

    private func stopSharpening() {
        sharpening?.cancel()
        if part != nil { sharpener.cancel() }
        part = nil
    }

    private func planSharpening() {
        stopSharpening()
        guard let load else { return }
        sharpening = Task { [weak self] in
            await ViewLoader.rest(Self.pause)
            guard !Task.isCancelled, let self, controller.canvas.isAlive,
                let wanted = detailToLoad()
            else { return }
            sharpen(wanted, of: load)
        }
    }

    /// The visible part; nil if the image that is shown has enough pixels for it, or moves.
    private func detailToLoad() -> ZoomGeometry.Detail? {
        guard geometry.image.isDrawable, controller.content.animation.player == nil,
            load?.options.processor.identifier.isEmpty == true
        else { return nil }
        let wanted = geometry.detail
        guard wanted.part.size.isDrawable else { return nil }
        if wanted.whole.width <= wholeSize.width + 1 {
            releaseDetail()
            return nil
        }
        return detail.map { covers($0, wanted) } == true ? nil : wanted
    }

    /// Decodes a part of the image and shows it; a failure leaves the whole image.
    private func sharpen(_ wanted: ZoomGeometry.Detail, of load: PendingLoad) {
        var options = load.options.givingTexture.refining
        options.processor = wanted.processor
        options.scaleFactor = 1
        options.cacheOriginalImage = true
        options.cacheMemoryOnly = true
        options.memoryCacheExpiration = .expired
        let part = Refinement { [weak self] image in
            if let self, let image, controller.canvas.isAlive { show(image, as: wanted) }
        }
        self.part = part
        sharpener.load(
            load.source,
            into: part,
            placeholder: nil,
            options: options,
            by: load.manager,
            completion: { [weak self, weak part] _ in
                if let self, let part, self.part === part { self.part = nil }
            }
        )
    }

    private func show(_ image: KFCrossPlatformImage, as wanted: ZoomGeometry.Detail) {
        guard let address = zoomable?.address else { return }
        let share = wanted.share
        let texture = image.texture
        withExtendedLifetime(texture) {
            kf_zoomable_set_detail(
                address,
                texture?.address,
                share.minX,
                share.minY,
                share.width,
                share.height
            )
        }
        detail = wanted
    }

    /// Shows the whole image alone, which has as many pixels.
    private func releaseDetail() {
        detail = nil
        if let address = zoomable?.address { kf_zoomable_set_detail(address, nil, 0, 0, 0, 0) }
    }

    private func covers(_ detail: ZoomGeometry.Detail, _ wanted: ZoomGeometry.Detail) -> Bool {
        detail.whole == wanted.whole
            && detail.part.insetBy(dx: -0.5, dy: -0.5).contains(wanted.visible)
    }
}

extension ZoomGeometry.Detail {
    /// Keeps the part of the image, resized; only this part is decoded.
    fileprivate var processor: any ImageProcessor {
        ResizingImageProcessor(referenceSize: whole).append(
            another: PaddingImageProcessor(
                top: -part.minY,
                left: -part.minX,
                bottom: part.maxY - whole.height,
                right: part.maxX - whole.width
            )
        )
    }
}

/// The caller's closure for the end of a load, which belongs to the main actor.
private final class LoadEnding {
    private let body: (Result<CGSize, any Error>) -> Void

    init(_ body: @escaping (Result<CGSize, any Error>) -> Void) { self.body = body }

    func call(_ result: Result<CGSize, KingfisherError>) { body(result.mapError { $0 }) }
}

extension KFCrossPlatformImage {
    fileprivate var pixelSize: CGSize { CGSize(width: pixelWidth, height: pixelHeight) }
}

/// The C side of ``ZoomState``.
nonisolated private enum ZoomCallbacks {
    static var painted: KFPaintedSize {
        { width, height, context in
            guard let context else { return }
            let state = Unmanaged<ZoomState>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { state.isPainted(width: width, height: height) }
        }
    }

    static var zoomed: KFZoomHandler {
        { event, value, x, y, context in
            guard let context else { return false }
            let state = Unmanaged<ZoomState>.fromOpaque(context).takeUnretainedValue()
            return MainActor.assumeIsolated { state.handle(event, value, x, y) }
        }
    }
}
#endif
