#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The paintable of a GtkPicture.
final class PictureCanvas {
    /// The GtkPicture; not retained, because it owns the controller that owns this object.
    let picture: UnsafeMutableRawPointer
    /// The controller, which ends with the GtkPicture; its parts may end later.
    weak var controller: PictureController?
    /// Whether the GtkPicture still exists, for code that runs later.
    var isAlive: Bool { controller != nil }
    /// The GdkPaintable.
    let paintable: GObjectReference
    private(set) var isInTransition = false
    /// A paintable around this one, which the GtkPicture shows in its place.
    private var frame: GObjectReference?

    private var address: UnsafeMutableRawPointer { paintable.address }

    init(of picture: UnsafeMutableRawPointer) {
        guard let made = kf_paintable_new() else { preconditionFailure("GObject has no memory") }
        paintable = GObjectReference(adopting: made)
        self.picture = picture
        takeOver()
    }

    /// The paintable that the GtkPicture shows.
    private var shown: OpaquePointer { OpaquePointer(frame?.address ?? address) }

    /// Whether the GtkPicture shows this paintable; other code may have set another one.
    var isInPlace: Bool { gtk_picture_get_paintable(OpaquePointer(picture)) == shown }

    func takeOver() {
        if !isInPlace { gtk_picture_set_paintable(OpaquePointer(picture), shown) }
    }

    /// Shows another paintable, which paints this one.
    func surround(by frame: GObjectReference) {
        self.frame = frame
        takeOver()
    }

    /// Whether no image is painted.
    var isEmpty: Bool { kf_paintable_get_texture(address) == nil }

    var fit = KF_FIT_CONTAIN {
        didSet { kf_paintable_set_fit(address, fit) }
    }

    /// The screen's pixels per logical pixel.
    var density = 1.0 {
        didSet { kf_paintable_set_density(address, density) }
    }

    /// Whether the layout may request the image's own size.
    var hasNaturalSize = true {
        didSet { kf_paintable_set_has_natural_size(address, hasNaturalSize) }
    }

    func show(_ image: KFCrossPlatformImage?) {
        isInTransition = false
        withTexture(of: image) { texture in
            kf_paintable_set_texture(address, texture, Double(image?.scale ?? 1))
        }
    }

    /// Releases the image, but keeps requesting its size from the layout until the next one.
    func release() {
        isInTransition = false
        kf_paintable_release(address)
    }

    /// Passes an image's texture to `body`; the paintable retains it.
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

    /// Sets the placement of the images of a custom transition.
    func setLayers(_ frame: TransitionFrame) {
        kf_paintable_set_layers(
            address,
            KFLayer(frame.old),
            KFLayer(frame.new),
            frame.isOldInFront
        )
    }

    /// The progress of the transition, 0…1; it ends at 1.
    var progress: Double {
        get { kf_paintable_get_progress(address) }
        set {
            kf_paintable_set_progress(address, newValue)
            if newValue >= 1 { isInTransition = false }
        }
    }

    // MARK: Overlays

    /// A widget that is shown while there is no image; the GtkPicture retains it.
    var standIn: UnsafeMutablePointer<GtkWidget>? {
        didSet { kf_paintable_set_stand_in(address, picture, standIn) }
    }

    /// Shows a play sign over the image, and a text in its corner.
    func showBadge(_ text: GObjectReference?, isRightToLeft: Bool) {
        hasBadge = true
        kf_paintable_show_badge(address, text?.address, isRightToLeft)
    }

    func hideBadge() {
        hasBadge = false
        kf_paintable_hide_badge(address)
    }

    private(set) var hasBadge = false

    /// The colour of the spinner's dots: red, green, blue and alpha in 0…1; nil hides the spinner.
    var spinnerColor: SIMD4<Float>? {
        didSet {
            guard let spinnerColor else { return kf_paintable_hide_spinner(address) }
            let components = (0..<4).map { spinnerColor[$0] }
            kf_paintable_show_spinner(address, components)
        }
    }

    /// The rotation of the spinner, in turns.
    var spinnerPhase = 0.0 {
        didSet {
            if spinnerPhase != oldValue { kf_paintable_set_spinner_phase(address, spinnerPhase) }
        }
    }

    /// Shows an image over the current one, centred plus an offset; a nil size fills the view.
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
