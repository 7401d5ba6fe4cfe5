#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The loads of a GdkPaintable; attached to it and released with it.
final class PaintableState: ImageWidget {
    private static let data = ObjectData<PaintableState>(name: "kingfisher-paintable")

    private(set) lazy var loader = ViewLoader(self)
    private(set) var image: KFCrossPlatformImage?
    /// Not retained, because it owns this object.
    private let paintable: UnsafeMutableRawPointer
    private let size: CGSize?
    private(set) var density: Double
    /// The widgets that show the paintable.
    private var hosts: [PaintableHost] = []
    private struct Entry {
        weak var property: LoadedProperty?
    }

    /// The properties that are null while there is no image.
    private var properties: [Entry] = []
    /// Whether the last load has failed and no image stands for that.
    private var hasFailed = false {
        didSet { if hasFailed != oldValue { updateProperties() } }
    }
    private var player: FramePlayer?
    private var lastTime: Double?
    /// The painted frame, so that it is painted only once.
    private var shownFrame: KFCrossPlatformImage?
    private let covers: Bool

    init(_ paintable: UnsafeMutableRawPointer, size: CGSize?, density: Double, fit: PictureFit) {
        self.paintable = paintable
        let isUsable = size.map { $0.width.isFinite && $0.height.isFinite } ?? false
        self.size = isUsable ? size : nil
        self.density = density.isFinite && density > 0 ? density : 1
        covers = fit == .cover || fit == .fill
        kf_paintable_set_fit(paintable, KFFit(fit))
        kf_paintable_set_density(paintable, density)
        if let size = self.size { kf_paintable_set_own_size(paintable, size.width, size.height) }
        Self.data.set(self, on: paintable)
        loader.decodeSize = self.size == nil ? .original : .fitView
        loader.onSettled = { [unowned self] _ in loader.reloadIfNeeded() }
    }

    isolated deinit { loader.cancel() }

    var decodeBox: DecodeBox? { size.map { DecodeBox(size: $0, covers: covers) } }

    /// Loads do not depend on the widgets.
    var isInSight: Bool { true }

    func extended(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        options.givingTexture
    }

    func keeping<Result>(_ body: () -> Result) -> Result {
        KingfisherGTK.keeping(paintable, body)
    }

    func failureDidChange(to error: KingfisherError?) {
        switch loader.failure?.options.onFailureImage {
        case .some(.some): break
        default: hasFailed = error != nil
        }
    }

    var shownImage: KFCrossPlatformImage? { image }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(content)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(image)
        // A widget may have come to a denser screen during the load.
        loader.reloadIfNeeded()
    }

    func setImage(_ image: KFCrossPlatformImage?) {
        guard image !== self.image else { return }
        self.image = image
        paint(image)
        player = image.flatMap(makePlayer)
        lastTime = nil
        shownFrame = nil
        updateProperties()
        for host in hosts { host.update() }
    }

    private func paint(_ image: KFCrossPlatformImage?) {
        let texture = image?.texture
        withExtendedLifetime(texture) {
            kf_paintable_set_texture(paintable, texture?.address, Double(image?.scale ?? 1))
        }
    }

    // MARK: The widgets

    /// Keeps a property of an object null while there is no image.
    func show(in object: UnsafeMutableRawPointer, _ name: String, onlyLoaded: Bool) {
        let property = LoadedProperty(name, of: object, paintable, onlyLoaded: onlyLoaded)
        // In place of the image that the property had before.
        ObjectData<LoadedProperty>(name: "kingfisher-shown-\(name)").set(property, on: object)
        properties.removeAll { $0.property == nil }
        if onlyLoaded { properties.append(Entry(property: property)) }
        updateProperties()
    }

    private func updateProperties() {
        for entry in properties { entry.property?.update(isLoaded: image != nil && !hasFailed) }
    }

    /// Follows the screen and the frames of a widget; no effect for other objects.
    func follow(_ object: UnsafeMutableRawPointer) {
        let instance = object.assumingMemoryBound(to: GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gtk_widget_get_type()) != 0,
            !hosts.contains(where: { $0.widget == object })
        else { return }
        hosts.append(PaintableHost(object, of: self))
        updateDensity()
    }

    func remove(_ host: PaintableHost) {
        hosts.removeAll { $0 === host }
        restIfInvisible()
    }

    /// Decodes for the densest screen of the widgets.
    func updateDensity() {
        guard let new = hosts.map({ ViewSizing.readDensity($0.widget) }).max(),
            new != density
        else { return }
        density = new
        kf_paintable_set_density(paintable, density)
        loader.reloadIfNeeded()
    }

    // MARK: Animation

    private func makePlayer(_ image: KFCrossPlatformImage) -> FramePlayer? {
        guard let frames = image.playableFrames else { return nil }
        let box = size?.scaled(by: density)
        return FramePlayer(source: frames, maxSize: box)
    }

    var isAnimated: Bool { player != nil }

    /// A widget with the animation has come in sight.
    func appeared() { player?.prepare() }

    /// Releases the frames once no widget is visible.
    func restIfInvisible() {
        guard !hosts.contains(where: { $0.sight.isInSight }) else { return }
        lastTime = nil
        player?.purge(keepsCurrent: true)
    }

    /// Shows the frame of a time; called for each of the visible widgets.
    func advance(to time: Double) {
        guard let player else { return }
        let last = lastTime ?? time
        _ = player.advance(by: max(0, time - last))
        lastTime = max(last, time)
        // The current frame may not be decoded yet.
        guard let frame = player.currentFrame, frame !== shownFrame else { return }
        shownFrame = frame
        paint(frame)
    }
}
#endif
