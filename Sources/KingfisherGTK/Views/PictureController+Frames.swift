#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController: FrameListener {
    /// Requests frames while something moves, and none otherwise.
    func updateTicking() {
        sight.setMoving(.load, pending != nil && sizing.loadsWhenVisible)
    }

    func frameBegins(at time: Double) {
        keeping(picture) {
            sight.frameBegins()
            content.advanceTransition(to: time)
            animation.advance(to: time)
            indicator.advance(to: time)
            startPendingIfReady()
        }
    }

    func frameIsLaidOut() {
        let isSeen = kf_widget_is_in_sight(picture)
        // Lists map several times as many cells as are visible.
        let isWaiting = pending != nil && !sizing.loadsWhenVisible
        guard isSeen || sight.isInSight || isWaiting else { return }
        keeping(picture) {
            setInSight(isSeen)
            updateDensity()
            startPendingIfSized()
        }
    }

    func motionSettingChanged() {
        keeping(picture) {
            if kf_widget_animations_enabled(picture) {
                animation.resume()
            } else {
                animation.stop()
                content.finishTransition()
            }
        }
    }
}
#endif
