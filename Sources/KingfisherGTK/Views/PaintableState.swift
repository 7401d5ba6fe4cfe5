#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// The loads of a GdkPaintable; attached to it and released with it.
final class PaintableState: ImageBindingTarget {
    private static let data = ObjectData<PaintableState>(name: "kingfisher-paintable")

    let binding = ImageBinding()
    private(set) var image: KFCrossPlatformImage?
    /// Not retained, because it owns this object.
    private let paintable: UnsafeMutableRawPointer
    private let size: CGSize?
    private(set) var density: CGFloat
    /// The widget whose screen and frame clock count; not retained, nil after its end.
    private var host: UnsafeMutableRawPointer?
    private let sight = ViewSight()
    private var player: FramePlayer?
    private var lastTime: Double?
    /// The painted frame, so that it is painted only once.
    private var shownFrame: KFCrossPlatformImage?
    /// A load that may be repeated for another density.
    private struct Load {
        let source: Source
        let options: KingfisherParsedOptionsInfo
        let manager: KingfisherManager
        var density: CGFloat
    }

    /// The load of the current image.
    private var shownLoad: Load?
    /// Receives the current image for another density while it loads.
    private var refinement: Refinement?
    private let covers: Bool

    init(_ paintable: UnsafeMutableRawPointer, size: CGSize?, density: Double, fit: PictureFit) {
        self.paintable = paintable
        let isUsable = size.map { $0.width.isFinite && $0.height.isFinite } ?? false
        self.size = isUsable ? size : nil
        self.density = density.isFinite && density > 0 ? CGFloat(density) : 1
        covers = fit == .cover || fit == .fill
        kf_paintable_set_fit(paintable, KFFit(fit))
        kf_paintable_set_density(paintable, density)
        Self.data.set(self, on: paintable)
    }

    isolated deinit { binding.cancel() }

    var shownImage: KFCrossPlatformImage? { image }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(content)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(image)
    }

    func setImage(_ image: KFCrossPlatformImage?) {
        guard image !== self.image else { return }
        self.image = image
        paint(image)
        player = image.flatMap(makePlayer)
        lastTime = nil
        shownFrame = nil
        updateTicking()
    }

    private func paint(_ image: KFCrossPlatformImage?) {
        let texture = image?.texture
        withExtendedLifetime(texture) {
            kf_paintable_set_texture(paintable, texture?.address, Double(image?.scale ?? 1))
        }
    }

    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageBinding.Completion?
    ) -> DownloadTask? {
        shownLoad = nil
        refinement = nil
        let load = source.map {
            Load(source: $0, options: options, manager: manager, density: density)
        }
        return binding.load(
            source,
            into: self,
            placeholder: placeholder,
            options: sized(options),
            by: manager,
            progress: progress
        ) { [weak self] result in
            if case .success = result {
                self?.shownLoad = load
                self?.repeatLoadIfNeeded()
            }
            completion?(result)
        }
    }

    /// Shows the caller's own image.
    func showOwn(_ image: KFCrossPlatformImage?) {
        shownLoad = nil
        if refinement != nil { binding.cancel() }
        refinement = nil
        setImage(image)
    }

    /// Loads the image again if its density is not that of the screen, unless a load runs.
    private func repeatLoadIfNeeded() {
        guard size != nil, var load = shownLoad, load.density != density, binding.identifier == nil
        else { return }
        // A failure leaves the image as it is, for this density.
        load.density = density
        shownLoad = load
        let refinement = Refinement { [weak self] in self?.setImage($0) }
        self.refinement = refinement
        binding.load(
            load.source,
            into: refinement,
            placeholder: nil,
            options: sized(load.options).refining,
            by: load.manager,
            completion: { [weak self, weak refinement] _ in
                guard let self, let refinement, self.refinement === refinement else { return }
                self.refinement = nil
                repeatLoadIfNeeded()
            }
        )
    }

    private func sized(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        let options = options.givingTexture
        guard let size, options.processor.identifier.isEmpty else { return options }
        let box = DecodeBox(size: size, covers: covers)
        return options.decoding(to: box, density: Double(density))
    }

    // MARK: The widget

    /// Follows the screen and the frames of a widget; no effect for other objects.
    func follow(_ object: UnsafeMutableRawPointer) {
        let instance = object.assumingMemoryBound(to: GTypeInstance.self)
        guard host == nil, g_type_check_instance_is_a(instance, gtk_widget_get_type()) != 0 else {
            return
        }
        host = object
        connect(object, "map") { [weak self] in self?.mapped() }
        connect(object, "unmap") { [weak self] in self?.unmapped() }
        connect(object, "destroy") { [weak self] in self?.hostEnded() }
        connect(object, "notify::scale-factor") { [weak self] in self?.updateDensity() }
        updateDensity()
        if gtk_widget_get_mapped(object.asWidget) != 0 { mapped() }
    }

    private func mapped() {
        guard let host else { return }
        sight.mapped(host.asWidget, self)
        updateTicking()
    }

    private func unmapped() {
        sight.unmapped()
        lastTime = nil
        player?.purge(keepsCurrent: true)
    }

    private func hostEnded() {
        unmapped()
        host = nil
    }

    private func updateDensity() {
        guard let host else { return }
        let new = CGFloat(ViewSizing.readDensity(host))
        guard new != density else { return }
        density = new
        kf_paintable_set_density(paintable, Double(new))
        repeatLoadIfNeeded()
    }

    // MARK: Animation

    private func makePlayer(_ image: KFCrossPlatformImage) -> FramePlayer? {
        guard let frames: any ImageFrameSource = image.kf.frameSource ?? LoadedFrames(image),
            frames.frameCount > 1
        else { return nil }
        let box = size.map { CGSize(width: $0.width * density, height: $0.height * density) }
        return FramePlayer(source: frames, maxSize: box)
    }

    private func updateTicking() {
        guard let host else { return }
        let isMoving = player != nil && kf_widget_animations_enabled(host)
        sight.setMoving(.animation, isMoving)
        sight.isInSight = isMoving && kf_widget_is_in_sight(host)
        if sight.isInSight { player?.prepare() }
    }
}

extension PaintableState: FrameListener {
    func frameBegins(at time: Double) {
        guard let player else { return }
        _ = player.advance(by: lastTime.map { time - $0 } ?? 0)
        lastTime = time
        // The current frame may not be decoded yet.
        guard let frame = player.currentFrame, frame !== shownFrame else { return }
        shownFrame = frame
        paint(frame)
    }

    func frameIsLaidOut() {
        updateDensity()
        updateTicking()
    }

    func motionSettingChanged() { updateTicking() }
}
#endif
