#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController: FrameListener {
    /// Requests frames while something moves, and none otherwise.
    func updateTicking() {
        sight.setMoving(.spinner, canvas.spinnerColor != nil || spinnerDelay != nil)
        sight.setMoving(.load, pending != nil && sizing.loadsWhenVisible)
    }

    func frameBegins(at time: Double) {
        keeping(picture) {
            sight.frameBegins()
            content.advanceTransition(to: time)
            animation.advance(to: time)
            advanceSpinner(to: time)
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

    // MARK: Indicator

    /// Shows the indicator during loads only.
    func updateIndicator() {
        let isLoading = runningLoads > 0 && !isRefining
        status.isBusy = isLoading
        switch indicator {
        case .none: break
        case .spinner:
            guard isLoading else { return hideSpinner() }
            if canvas.spinnerColor == nil, spinnerDelay == nil { spinnerDelay = SpinnerDelay() }
        case .image(let image, let size, let offset):
            canvas.setOverlay(isLoading ? image : nil, size: size, offset: offset)
        case .custom(let body):
            guard isLoading != isIndicatorTold else { break }
            isIndicatorTold = isLoading
            keeping(picture) { body(isLoading) }
        }
        updateTicking()
    }

    private func hideSpinner() {
        spinnerDelay = nil
        canvas.spinnerColor = nil
        updateTicking()
    }

    private func advanceSpinner(to time: Double) {
        if spinnerDelay?.isOver(at: time) == true {
            spinnerDelay = nil
            canvas.spinnerColor = textColor
        }
        // Ten steps per turn, because the ring has ten dots: a frame is painted only if it differs.
        if canvas.spinnerColor != nil { canvas.spinnerPhase = (time * 10).rounded(.down) / 10 }
    }

    func replaceIndicator(with new: PictureIndicator) {
        hideSpinner()
        canvas.setOverlay(nil, size: nil, offset: .zero)
        let before = indicator
        indicator = new
        let wasTold = isIndicatorTold
        isIndicatorTold = false
        updateIndicator()
        if wasTold, case .custom(let body) = before { body(false) }
    }

    private var textColor: SIMD4<Float> {
        var color: [Float] = [0, 0, 0, 1]
        kf_widget_get_color(picture, &color)
        return SIMD4(color[0], color[1], color[2], color[3])
    }
}
#endif
