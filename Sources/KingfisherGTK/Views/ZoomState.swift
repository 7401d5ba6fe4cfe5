#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// The image of a ``KFZoomView``; attached to its GtkPicture and released with it.
final class ZoomState {
    private static let data = ObjectData<ZoomState>(name: "kingfisher-zoom")
    /// How long nothing must move before a part is decoded.
    static let pause = Duration.milliseconds(80)

    /// The GtkPicture; not retained, because it owns this object.
    let picture: UnsafeMutableRawPointer
    private(set) var geometry = ZoomGeometry()
    var onZoomChange: ((Double) -> Void)?
    /// Whether an image is loading.
    private(set) var isBusy = false {
        didSet { if isBusy != oldValue { kf_widget_set_busy(picture, isBusy) } }
    }
    /// The part that is shown in the screen's resolution.
    private(set) var detail: ZoomGeometry.Detail?

    private var zoomable: GObjectReference?
    private var shown: (source: Source, options: KingfisherOptionsInfo, manager: KingfisherManager)?
    /// The size in pixels of the shown whole image.
    private var wholeSize = CGSize.zero
    private var loading: Task<Void, Never>?
    private var sharpening: Task<Void, Never>?

    init() {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        MainLoop.attach()
        guard let widget = gtk_picture_new() else { preconditionFailure("GTK has no memory") }
        picture = UnsafeMutableRawPointer(widget)
        Self.data.set(self, on: picture)
        kf_picture_set_fill(picture)
        gtk_picture_set_can_shrink(OpaquePointer(picture), 1)
        kf_widget_set_label(picture, "")
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard let made = kf_zoomable_new(ZoomCallbacks.painted, context) else {
            preconditionFailure("GObject has no memory")
        }
        zoomable = GObjectReference(adopting: made)
        gtk_picture_set_paintable(OpaquePointer(picture), OpaquePointer(made))
        kf_widget_add_zoom(picture, ZoomCallbacks.zoomed, context)
        connect(picture, "map") { [unowned self] in TextureRenderer.adapt(to: picture) }
    }

    isolated deinit {
        // Other widgets may retain the paintable.
        if let zoomable { kf_zoomable_detach(zoomable.address) }
        loading?.cancel()
        sharpening?.cancel()
    }

    // MARK: The whole image

    func load(
        _ source: Source?,
        _ options: KingfisherOptionsInfo,
        by manager: KingfisherManager,
        _ completion: ((Result<CGSize, any Error>) -> Void)?
    ) {
        loading?.cancel()
        sharpening?.cancel()
        guard let source else {
            shown = nil
            isBusy = false
            showWhole(nil, of: .zero)
            return
        }
        isBusy = true
        loading = Task { [weak self] in
            let result = await Self.whole(of: source, options, by: manager) { [weak self] in
                // A view that is not shown is decoded for a usual size after a moment. It may end
                // meanwhile.
                for _ in 0..<10 where (self?.geometry.view.width ?? 1) <= 0 {
                    await ViewSizing.rest(ViewSizing.patience)
                }
                return self?.sizeToLoad ?? (.zero, 1)
            }
            guard let self, !Task.isCancelled else { return }
            isBusy = false
            if case .success(let whole) = result {
                shown = (source, options, manager)
                withExtendedLifetime(whole) { showWhole(whole.image, of: whole.size) }
            } else {
                planSharpening()
            }
            completion?(result.map(\.size))
        }
    }

    private struct Loaded {
        let image: KFCrossPlatformImage
        /// The size in pixels of the whole file, or of the part.
        let size: CGSize
        /// Keeps the texture until it is shown.
        let texture: TextureModifier
    }

    /// Loads the image in the size of the view, and reads the size of its file.
    private static func whole(
        of source: Source,
        _ options: KingfisherOptionsInfo,
        by manager: KingfisherManager,
        in box: () async -> (CGSize, CGFloat)
    ) async -> Result<Loaded, any Error> {
        do {
            let own = options + [.cacheOriginalImage]
            let data = try await manager.retrieveOriginalData(with: source, options: own).data
            let size = try await pixelSize(of: data)
            let (view, density) = await box()
            let processor = ViewSizeProcessor(size: view, density: density, covers: false)
            let texture = TextureModifier(extending: options, of: manager)
            let sized: KingfisherOptionsInfo = [
                .scaleFactor(density), .processor(processor), .cacheMemoryOnly,
                .imageModifier(texture),
            ]
            let image = try await manager.retrieveImage(with: source, options: own + sized).image
            return .success(Loaded(image: image, size: size, texture: texture))
        } catch {
            return .failure(error)
        }
    }

    @concurrent
    nonisolated private static func pixelSize(of data: Data) async throws -> CGSize {
        try ImageFileInfo(data: data).size
    }

    /// The size of the view, or a usual one, and the density of its screen.
    private var sizeToLoad: (CGSize, CGFloat) {
        let view = geometry.view.width > 0 ? geometry.view : CGSize(width: 1_024, height: 768)
        return (view, geometry.density)
    }

    private func showWhole(_ image: KFCrossPlatformImage?, of size: CGSize) {
        releaseDetail()
        wholeSize = CGSize(width: image?.pixelWidth ?? 0, height: image?.pixelHeight ?? 0)
        guard let address = zoomable?.address else { return }
        let texture = image?.texture
        withExtendedLifetime(texture) { kf_zoomable_set_whole(address, texture?.address) }
        change {
            $0.image = size
            $0.fit()
        }
        // Also if the image before had the same size.
        planSharpening()
    }

    // MARK: Changes

    /// Changes the place of the image and plans to sharpen it.
    func change(_ body: (inout ZoomGeometry) -> Void) {
        let before = geometry
        body(&geometry)
        guard geometry != before else { return }
        if let zoomable { kf_zoomable_queue_draw(zoomable.address) }
        planSharpening()
        let hasZoomed = geometry.scale * geometry.density != before.scale * before.density
        if hasZoomed { onZoomChange?(Double(geometry.scale * geometry.density)) }
    }

    fileprivate func handle(_ event: KFZoomEvent, _ value: Double, _ x: Double, _ y: Double) {
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
    }

    /// Called while the view is painted: places the image, and requests no frame.
    fileprivate func isPainted(width: Double, height: Double) {
        let before = geometry
        let density = CGFloat(ViewSizing.readDensity(picture))
        geometry.resize(to: CGSize(width: width, height: height), density: density)
        let place = geometry.place
        guard let address = zoomable?.address else { return }
        kf_zoomable_set_place(address, place.minX, place.minY, place.width, place.height)
        if geometry != before { planSharpening() }
    }

    // MARK: Sharpening

    private func planSharpening() {
        sharpening?.cancel()
        guard let (source, options, manager) = shown else { return }
        sharpening = Task { [weak self] in
            await ViewSizing.rest(Self.pause)
            guard !Task.isCancelled, let wanted = self?.detailToLoad() else { return }
            // The view may end meanwhile.
            let part = await Self.part(wanted, of: source, options, by: manager)
            guard let self, !Task.isCancelled, let part else { return }
            withExtendedLifetime(part) { show(part.image, as: wanted) }
        }
    }

    /// The visible part; nil if the image that is shown has enough pixels for it.
    private func detailToLoad() -> ZoomGeometry.Detail? {
        guard !geometry.image.width.isZero else { return nil }
        let wanted = geometry.detail
        guard wanted.part.width > 0, wanted.part.height > 0 else { return nil }
        if wanted.whole.width <= wholeSize.width + 1 {
            releaseDetail()
            return nil
        }
        return detail.map { covers($0, wanted) } == true ? nil : wanted
    }

    /// Decodes a part of the image; nil if that fails, which leaves the whole image.
    private static func part(
        _ wanted: ZoomGeometry.Detail,
        of source: Source,
        _ options: KingfisherOptionsInfo,
        by manager: KingfisherManager
    ) async -> Loaded? {
        let made = TextureModifier(extending: options, of: manager)
        let loaded = try? await manager.retrieveImage(
            with: source,
            options: options + [
                .processor(wanted.processor), .scaleFactor(1), .cacheOriginalImage,
                .cacheMemoryOnly, .memoryCacheExpiration(.expired), .imageModifier(made),
            ]
        )
        return loaded.map { Loaded(image: $0.image, size: wanted.part.size, texture: made) }
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
            guard let context else { return }
            let state = Unmanaged<ZoomState>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { state.handle(event, value, x, y) }
        }
    }
}
#endif
