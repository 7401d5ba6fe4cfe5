#if GTK
import CKFGTK
import Foundation
import Kingfisher

/// The paintable of one picture, in Swift's words.
final class PictureCanvas {
    /// The GdkPaintable.
    let paintable: GObjectReference
    private(set) var isInTransition = false

    private var address: UnsafeMutableRawPointer { paintable.address }

    init() {
        guard let made = kf_paintable_new() else { preconditionFailure("GObject has no memory") }
        paintable = GObjectReference(adopting: made)
    }

    /// Whether anything is painted in the image's place.
    var isEmpty: Bool { kf_paintable_get_texture(address) == nil }

    var fit = KF_FIT_CONTAIN {
        didSet { kf_paintable_set_fit(address, fit) }
    }

    /// The screen's pixels per logical pixel.
    var density = 1.0 {
        didSet { kf_paintable_set_density(address, density) }
    }

    /// Whether the layout may ask for the image's own size.
    var hasNaturalSize = true {
        didSet { kf_paintable_set_has_natural_size(address, hasNaturalSize) }
    }

    func show(_ image: KFCrossPlatformImage?) {
        isInTransition = false
        withTexture(of: image) { texture in
            kf_paintable_set_texture(address, texture, Double(image?.scale ?? 1))
        }
    }

    /// Lets go of the image, but keeps asking the layout for its size until the next one.
    func release() {
        isInTransition = false
        kf_paintable_release(address)
    }

    /// Lends an image's texture, which is the paintable's to keep.
    private func withTexture(
        of image: KFCrossPlatformImage?,
        _ body: (UnsafeMutableRawPointer?) -> Void
    ) {
        let texture = image?.texture
        withExtendedLifetime(texture) { body(texture?.address) }
    }

    // MARK: Transition

    func beginTransition(to image: KFCrossPlatformImage, _ kind: KFTransition) {
        isInTransition = true
        withTexture(of: image) { texture in
            kf_paintable_begin_transition(address, texture, Double(image.scale), kind)
        }
    }

    /// Says where the images of a custom transition lie.
    func setLayers(_ frame: TransitionFrame) {
        kf_paintable_set_layers(
            address,
            KFLayer(frame.old),
            KFLayer(frame.new),
            frame.isOldInFront
        )
    }

    /// How far the transition is, 0…1; at 1 it is over.
    var progress: Double {
        get { kf_paintable_get_progress(address) }
        set {
            kf_paintable_set_progress(address, newValue)
            if newValue >= 1 { isInTransition = false }
        }
    }

    // MARK: Over the image

    /// The colour of the spinner's dots, red, green, blue, alpha in 0…1; nil without one.
    var spinnerColor: SIMD4<Float>? {
        didSet {
            guard let spinnerColor else { return kf_paintable_hide_spinner(address) }
            let components = (0..<4).map { spinnerColor[$0] }
            kf_paintable_show_spinner(address, components)
        }
    }

    /// The turns that the spinner has made.
    var spinnerPhase = 0.0 {
        didSet {
            if spinnerPhase != oldValue { kf_paintable_set_spinner_phase(address, spinnerPhase) }
        }
    }

    /// Puts a picture over the image, in the middle plus an offset; a nil size fills the view.
    func setOverlay(_ image: KFCrossPlatformImage?, size: CGSize?, offset: CGPoint) {
        withTexture(of: image) { texture in
            kf_paintable_set_overlay(
                address,
                texture,
                Double(size?.width ?? 0),
                Double(size?.height ?? 0),
                Double(offset.x),
                Double(offset.y)
            )
        }
    }
}

extension KFLayer {
    fileprivate init(_ layer: TransitionFrame.Layer) {
        self.init(
            opacity: layer.opacity,
            scale_x: Double(layer.scale.width),
            scale_y: Double(layer.scale.height),
            offset_x: Double(layer.offset.x),
            offset_y: Double(layer.offset.y),
            rotation: layer.rotation
        )
    }
}
#endif
