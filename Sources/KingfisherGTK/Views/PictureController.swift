#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// Everything that one GtkPicture shows through this library: its paintable, its loads, its clock.
///
/// Hangs on the picture and goes with it, so it never outlives the pointer that it keeps.
final class PictureController {
    private static let data = ObjectData<PictureController>(name: "kingfisher-picture")

    /// The GtkPicture; not retained, it owns this object.
    let picture: UnsafeMutableRawPointer
    let canvas = PictureCanvas()
    let binding = ImageBinding()

    /// What is shown, or will be when the transition is over.
    var image: KFCrossPlatformImage?
    var sizing = ViewSizing()
    /// A load that has not begun.
    var pending: PendingLoad?
    /// The load that has begun and not ended.
    var inForce: PendingLoad?
    /// The load that has brought what is shown.
    var shownLoad: PendingLoad?
    var transition: RunningTransition?
    var animation = AnimationState()
    var indicator = PictureIndicator.none
    var runningLoads = 0
    /// A load is under way that only sharpens what is shown, so nothing of it may be seen.
    var isRefining = false
    var isHoldingImage = false
    /// Called after the image that is shown was exchanged.
    var onImageChange: (() -> Void)?
    /// The position of the item in a list that the picture is a cell of.
    var position: Int?
    /// Called when the picture comes on screen or leaves it.
    var onVisibilityChange: ((Bool) -> Void)?
    weak var watch: FrameWatch?
    private(set) var isMapped = false
    /// Frames that the picture has stayed on screen for, as far as they were counted.
    var framesSinceMapped = 0

    /// The controller of a GtkPicture, made on first use.
    ///
    /// The picture's paintable becomes ours.
    static func of(_ picture: UnsafeMutableRawPointer) -> PictureController {
        if let controller = existing(of: picture) { return controller }
        MainLoop.attach()
        let controller = PictureController(picture: picture)
        data.set(controller, on: picture)
        return controller
    }

    static func existing(of picture: UnsafeMutableRawPointer) -> PictureController? {
        data.value(of: picture)
    }

    private init(picture: UnsafeMutableRawPointer) {
        self.picture = picture
        // The picture asks for the rectangle that its content fit gives; a stretched picture gets
        // the whole area, and the canvas does the same inside.
        let fit = kf_picture_get_fit(picture)
        canvas.fit = fit == KF_FIT_FILL ? KF_FIT_FILL : KF_FIT_CONTAIN
        sizing.covers = fit == KF_FIT_FILL || fit == KF_FIT_COVER
        gtk_picture_set_paintable(
            OpaquePointer(picture),
            OpaquePointer(canvas.paintable.address)
        )
        isMapped = gtk_widget_get_mapped(widget) != 0
        canvas.density = scaleFactor
        connect(picture, "map") { [unowned self] in mapped() }
        connect(picture, "unmap") { [unowned self] in unmapped() }
        connect(picture, "notify::scale-factor") { [unowned self] in
            canvas.density = scaleFactor
            sizeMayHaveChanged()
        }
        kf_paintable_on_paint(
            canvas.paintable.address,
            PaintCallback.function,
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    isolated deinit {
        // The paintable may outlive us in other hands.
        kf_paintable_on_paint(canvas.paintable.address, nil, nil)
        watch?.stopTicking(ObjectIdentifier(self))
        binding.cancel()
        if let pending { pending.finish(.failure(PendingLoad.cancelled)) }
    }

    var widget: UnsafeMutablePointer<GtkWidget> {
        picture.assumingMemoryBound(to: GtkWidget.self)
    }

    /// The screen's pixels per logical pixel.
    var scaleFactor: Int32 { gtk_widget_get_scale_factor(widget) }

    private func mapped() {
        isMapped = true
        framesSinceMapped = 0
        watch = FrameWatch.of(picture)
        if pending != nil { watch?.waitForLayout(self) }
        resumeAnimation()
        updateTicking()
        onVisibilityChange?(true)
    }

    private func unmapped() {
        finishTransition()
        watch?.stopTicking(ObjectIdentifier(self))
        isMapped = false
        watch = nil
        restAnimation()
        suspendIfInvisible()
        onVisibilityChange?(false)
    }
}

nonisolated private enum PaintCallback {
    /// Called while painting, when nothing may be changed: notes that the size is another.
    static var function: KFPaintedSize {
        { _, _, context in
            guard let context else { return }
            let controller = Unmanaged<PictureController>.fromOpaque(context)
                .takeUnretainedValue()
            MainActor.assumeIsolated { controller.isPainted() }
        }
    }
}
#endif
