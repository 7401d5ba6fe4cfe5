#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The parts of a GtkPicture that shows images, connected.
///
/// Attached to the GtkPicture and released with it, so the stored pointer stays valid.
final class PictureController {
    private static let data = ObjectData<PictureController>(name: "kingfisher-picture")

    let canvas: PictureCanvas
    let sight = ViewSight()
    let sizing: ViewSizing
    let indicator: ViewIndicator
    let status: ViewStatus
    let content: ViewContent
    let loader: ViewLoader
    /// The context menu and the drag source.
    private(set) lazy var actions: PictureActions = {
        hasActions = true
        return PictureActions(of: self)
    }()
    private(set) var hasActions = false
    /// Called once, after the first layout in which the view is in sight.
    var onceSeen: (() -> Void)?

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
        canvas = PictureCanvas(of: picture)
        sizing = ViewSizing(canvas)
        indicator = ViewIndicator(canvas, sight)
        status = ViewStatus(canvas, indicator)
        content = ViewContent(canvas, sight, status, sizing)
        loader = ViewLoader(content)
        canvas.controller = self
        // GtkPicture paints into the rectangle given by its content fit. With `fill` that is the
        // whole area, and the canvas fills it too.
        let fit = kf_picture_get_fit(picture)
        canvas.fit = fit == KF_FIT_FILL ? KF_FIT_FILL : KF_FIT_CONTAIN
        sizing.covers = fit == KF_FIT_FILL || fit == KF_FIT_COVER
        canvas.density = sizing.density
        // A paintable set by other code stays until the next load.
        connect(picture, "notify::paintable") { [unowned self] in
            if !canvas.isInPlace { loader.forgetShownLoad() }
        }
        connect(picture, "notify::root") { [unowned self] in
            loader.widgetDidMove(isRemoved: true)
        }
        connect(picture, "notify::parent") { [unowned self] in
            loader.widgetDidMove(isRemoved: !content.hasParent)
        }
        connect(picture, "map") { [unowned self] in sight.mapped(picture.asWidget, self) }
        connect(picture, "unmap") { [unowned self] in
            sight.unmapped()
            setInSight(false)
        }
        connect(picture, "notify::scale-factor") { [unowned self] in updateDensity() }
        kf_paintable_on_paint(
            canvas.paintable.address,
            PaintCallback.function,
            Unmanaged.passUnretained(self).toOpaque()
        )
        if gtk_widget_get_mapped(picture.asWidget) != 0 {
            sight.mapped(picture.asWidget, self)
            setInSight(kf_widget_is_in_sight(picture))
        }
    }

    isolated deinit {
        // Other widgets may retain the paintable.
        kf_paintable_on_paint(canvas.paintable.address, nil, nil)
        // The loader lives on in code that waits for the end of its loads, and keeps the sight.
        loader.cancel()
        if sight.isInSight { sight.isInSight = false }
    }

    /// The GtkPicture; not retained, because it owns this object.
    var picture: UnsafeMutableRawPointer { canvas.picture }

    // MARK: Size

    /// Follows the window to a screen of another density.
    ///
    /// A fractional density can change without a change of GTK's whole scale factor, so no signal of
    /// the widget reports it.
    private func updateDensity() {
        guard canvas.density != sizing.density else { return }
        canvas.density = sizing.density
        isPainted()
    }

    /// Called while the view is painted, when nothing may be changed.
    fileprivate func isPainted() {
        guard content.animation.needsLargerFrames || loader.needsReload else { return }
        sizing.onceStill { [weak self] in
            guard let self else { return }
            if let image = content.image, content.animation.needsLargerFrames {
                content.animation.replaceFrames(of: image)
            }
            loader.reloadIfNeeded()
        }
    }

    // MARK: On screen

    /// Records whether the view is visible now.
    private func setInSight(_ isSeen: Bool) {
        guard isSeen != sight.isInSight else { return }
        if isSeen { appeared() } else { disappeared() }
    }

    private func appeared() {
        canvas.density = sizing.density
        sight.isInSight = true
        isPainted()
        content.animation.resume()
        loader.widgetDidAppear()
    }

    private func disappeared() {
        let transitionEnded = content.takeTransition()
        sight.isInSight = false
        content.animation.rest()
        loader.widgetDidDisappear()
        // GTK may be disposing the widget, so the caller's code runs later.
        if let transitionEnded { Task { transitionEnded() } }
    }
}

extension PictureController: FrameListener {
    func frameBegins(at time: Double) {
        keeping(picture) {
            sight.frameBegins()
            content.advanceTransition(to: time)
            content.animation.advance(to: time)
            indicator.advance(to: time)
            loader.startPending(hasWaited: sight.frames > 2)
        }
    }

    func frameIsLaidOut() {
        let isSeen = kf_widget_is_in_sight(picture)
        // Lists map several times as many cells as are visible.
        let isWaiting = loader.pending != nil && !loader.loadsWhenVisible
        guard isSeen || sight.isInSight || isWaiting else { return }
        keeping(picture) {
            setInSight(isSeen)
            updateDensity()
            if isSeen, let onceSeen {
                self.onceSeen = nil
                onceSeen()
            }
            loader.startPending(hasWaited: false)
        }
    }

    func motionSettingChanged() {
        keeping(picture) {
            if kf_widget_animations_enabled(picture) {
                content.animation.resume()
            } else {
                content.animation.stop()
                content.finishTransition()
            }
        }
    }
}

nonisolated private enum PaintCallback {
    /// Called during painting, when nothing may be changed; schedules a reload if needed.
    static var function: KFPaintedSize {
        { _, _, context in
            guard let context else { return }
            let controller = Unmanaged<PictureController>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { controller.isPainted() }
        }
    }
}
#endif
