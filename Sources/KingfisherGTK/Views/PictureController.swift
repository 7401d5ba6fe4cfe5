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
    /// What assistive technology was last told.
    var isBusy = false
    var hasFailed = false
    /// What the caller's indicator was last told.
    var isIndicatorTold = false
    /// The position of the item in a list that the picture is a cell of.
    var position: Int?
    /// Called when the picture comes into sight or leaves it.
    var onVisibilityChange: ((Bool) -> Void)?
    weak var watch: FrameWatch?
    /// Whether the picture is mapped and no ancestor has scrolled or clipped it away.
    private(set) var isInSight = false
    /// Frames that the picture has stayed in sight for, as far as they were counted.
    var framesInSight = 0

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
        takeOver()
        canvas.density = density
        connect(picture, "notify::paintable") { [unowned self] in paintableChanged() }
        connect(picture, "map") { [unowned self] in mapped() }
        connect(picture, "unmap") { [unowned self] in unmapped() }
        connect(picture, "notify::scale-factor") { [unowned self] in
            canvas.density = density
            sizeMayHaveChanged()
        }
        kf_paintable_on_paint(
            canvas.paintable.address,
            PaintCallback.function,
            Unmanaged.passUnretained(self).toOpaque()
        )
        if gtk_widget_get_mapped(widget) != 0 {
            mapped()
            updateSight()
        }
    }

    isolated deinit {
        // The paintable may outlive us in other hands.
        kf_paintable_on_paint(canvas.paintable.address, nil, nil)
        watch?.remove(ObjectIdentifier(self))
        binding.cancel()
        if let pending { pending.finish(.failure(PendingLoad.cancelled)) }
        if isIndicatorTold, case .custom(let body) = indicator { body(false) }
    }

    var widget: UnsafeMutablePointer<GtkWidget> {
        picture.assumingMemoryBound(to: GtkWidget.self)
    }

    /// The screen's pixels per logical pixel.
    var density: Double { kf_widget_get_density(picture) }

    /// Runs what may call the caller's code, which may destroy the picture: it lives until the end.
    func keepingPicture<Result>(_ body: () -> Result) -> Result {
        // Not sinking: a picture without a container still floats afterwards.
        g_object_ref(picture)
        defer { g_object_unref(picture) }
        return body()
    }

    // MARK: The paintable

    private var isShown: Bool {
        gtk_picture_get_paintable(OpaquePointer(picture))
            == OpaquePointer(canvas.paintable.address)
    }

    /// Makes the picture show our paintable, should other code have replaced it.
    func takeOver() {
        guard !isShown else { return }
        gtk_picture_set_paintable(
            OpaquePointer(picture),
            OpaquePointer(canvas.paintable.address)
        )
    }

    /// What other code shows stays until the next load.
    private func paintableChanged() {
        if !isShown { forgetShownLoad() }
    }

    // MARK: On screen

    private func mapped() {
        watch = FrameWatch.of(widget)
        // Whether it is in sight is known after the layout.
        watch?.add(self)
    }

    private func unmapped() {
        watch?.remove(ObjectIdentifier(self))
        if isInSight { disappeared() }
        watch = nil
    }

    /// Finds out whether the picture can be seen now.
    func updateSight() {
        let isSeen = kf_widget_is_in_sight(picture)
        guard isSeen != isInSight else { return }
        if isSeen { appeared() } else { disappeared() }
    }

    private func appeared() {
        isInSight = true
        framesInSight = 0
        canvas.density = density
        sizeMayHaveChanged()
        resumeAnimation()
        updateTicking()
        onVisibilityChange?(true)
    }

    private func disappeared() {
        let transitionEnded = takeTransition()
        isInSight = false
        updateTicking()
        restAnimation()
        suspendIfInvisible()
        onVisibilityChange?(false)
        // GTK may be in the middle of taking the widget apart: not the moment for callers' code.
        if let transitionEnded { Task { transitionEnded() } }
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
