#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// The state of a GtkPicture: its paintable, loads, animation and transition.
///
/// Attached to the GtkPicture and released with it, so the stored pointer stays valid.
final class PictureController {
    private static let data = ObjectData<PictureController>(name: "kingfisher-picture")

    /// The GtkPicture; not retained, because it owns this object.
    let picture: UnsafeMutableRawPointer
    let canvas: PictureCanvas
    let sight = ViewSight()
    let binding = ImageBinding()

    let sizing: ViewSizing
    let status: ViewStatus
    /// A load that has not started.
    var pending: PendingLoad?
    /// A load that has started and not ended.
    var inForce: PendingLoad?
    /// The load of the current image.
    var shownLoad: PendingLoad?
    let animation: ViewAnimation
    let content: ViewContent
    let indicator: ViewIndicator
    /// The context menu and the drag source.
    private(set) lazy var actions: PictureActions = {
        hasActions = true
        return PictureActions(of: self)
    }()
    private(set) var hasActions = false
    var runningLoads = 0
    /// Whether a load runs only to replace the current image by a larger version, invisibly.
    var isRefining = false
    var isHoldingImage = false
    /// The current load, if it has failed.
    var failure: FailedLoad? {
        didSet {
            guard failure?.load !== oldValue?.load else { return }
            status.failure = failure?.error
            if failure == nil {
                NetworkReturn.shared.remove(ObjectIdentifier(self))
            } else {
                NetworkReturn.shared.add(self)
            }
        }
    }
    /// Loads again in place of ``retry()``, for owners that observe the load.
    var onRetry: (() -> Void)?
    /// Whether a failed load is repeated when the network returns, even if the view does not load
    /// only while visible.
    var retriesWhenOnline = false
    /// When the image will be seen, if the view is a cell of a list.
    var interest: ImageInterest?
    /// Whether a load of the view may start, in place of the rule of ``LoadStart/whenVisible``.
    var mayStart: (() -> Bool)?

    /// The controller of a GtkPicture, made on first use.
    ///
    /// It replaces the paintable of the GtkPicture.
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
        canvas = PictureCanvas(of: picture)
        sizing = ViewSizing(canvas)
        status = ViewStatus(canvas)
        animation = ViewAnimation(canvas, sight, sizing)
        content = ViewContent(canvas, sight, status, animation)
        indicator = ViewIndicator(canvas, sight)
        // GtkPicture paints into the rectangle given by its content fit. With `fill` that is the
        // whole area, and the canvas fills it too.
        let fit = kf_picture_get_fit(picture)
        canvas.fit = fit == KF_FIT_FILL ? KF_FIT_FILL : KF_FIT_CONTAIN
        sizing.covers = fit == KF_FIT_FILL || fit == KF_FIT_COVER
        canvas.density = sizing.density
        connect(picture, "notify::paintable") { [unowned self] in paintableChanged() }
        connect(picture, "map") { [unowned self] in sight.mapped(widget, self) }
        connect(picture, "unmap") { [unowned self] in unmapped() }
        connect(picture, "notify::root") { [unowned self] in planEndOfWaiting() }
        connect(picture, "notify::parent") { [unowned self] in
            if gtk_widget_get_parent(widget) == nil { planEndOfWaiting() }
        }
        connect(picture, "notify::scale-factor") { [unowned self] in updateDensity() }
        kf_paintable_on_paint(
            canvas.paintable.address,
            PaintCallback.function,
            Unmanaged.passUnretained(self).toOpaque()
        )
        if gtk_widget_get_mapped(widget) != 0 {
            sight.mapped(widget, self)
            setInSight(kf_widget_is_in_sight(picture))
        }
    }

    isolated deinit {
        // Other widgets may retain the paintable.
        kf_paintable_on_paint(canvas.paintable.address, nil, nil)
        NetworkReturn.shared.remove(ObjectIdentifier(self))
        binding.cancel()
        if let pending { pending.finish(.failure(PendingLoad.cancelled)) }
    }

    var widget: UnsafeMutablePointer<GtkWidget> { picture.asWidget }

    /// Follows the window to a screen of another density.
    ///
    /// A fractional density can change without a change of GTK's whole scale factor, so no signal of
    /// the widget reports it.
    func updateDensity() {
        guard canvas.density != sizing.density else { return }
        canvas.density = sizing.density
        isPainted()
    }

    /// A paintable set by other code stays until the next load.
    private func paintableChanged() {
        if !canvas.isInPlace { forgetShownLoad() }
    }

    // MARK: On screen

    private func unmapped() {
        sight.unmapped()
        setInSight(false)
    }

    /// Records whether the view is visible now.
    func setInSight(_ isSeen: Bool) {
        guard isSeen != sight.isInSight else { return }
        if isSeen { appeared() } else { disappeared() }
    }

    private func appeared() {
        sight.appeared()
        canvas.density = sizing.density
        isPainted()
        animation.resume()
        sight.onChange?(true)
        if sizing.loadsWhenVisible || onRetry != nil { keeping(picture) { retry() } }
    }

    private func disappeared() {
        let transitionEnded = content.takeTransition()
        sight.disappeared()
        animation.rest()
        suspendIfInvisible()
        sight.onChange?(false)
        // GTK may be disposing the widget, so the caller's code runs later.
        if let transitionEnded { Task { transitionEnded() } }
    }
}

nonisolated private enum PaintCallback {
    /// Called during painting, when nothing may be changed; schedules a reload if needed.
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
