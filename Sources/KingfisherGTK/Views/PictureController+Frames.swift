#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController: FrameListener {
    /// Requests frames while something moves, and none otherwise.
    func updateTicking() {
        sight.setMoving(.transition, transition != nil)
        sight.setMoving(.spinner, canvas.spinnerColor != nil || spinnerDelay != nil)
        sight.setMoving(.load, pending != nil && sizing.loadsWhenVisible)
    }

    func frameBegins(at time: Double) {
        keepingPicture {
            sight.frameBegins()
            advanceTransition(to: time)
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
        keepingPicture {
            setInSight(isSeen)
            updateDensity()
            startPendingIfSized()
        }
    }

    func motionSettingChanged() {
        keepingPicture {
            if kf_widget_animations_enabled(picture) {
                animation.resume()
            } else {
                animation.stop()
                finishTransition()
            }
        }
    }

    // MARK: Transition

    private func advanceTransition(to time: Double) {
        guard var running = transition else { return }
        let progress = running.progress(at: time)
        transition = running
        guard progress < 1 else { return finishTransition() }
        layOutTransition(at: progress)
    }

    /// Places the images of the transition, which the caller's code may end.
    func layOutTransition(at progress: Double) {
        let shown = image
        let frame = transition?.look.frame
        let layers = frame?(progress)
        guard transition != nil, image === shown else { return }
        if let layers { canvas.setLayers(layers) }
        canvas.progress = progress
    }

    /// Completes the current transition, if any.
    func finishTransition() { takeTransition()?() }

    /// Ends the current transition, if any.
    ///
    /// - Returns: Its completion, which is the caller's code. Call it last, because it may start
    ///   another load or destroy the view.
    func takeTransition() -> (() -> Void)? {
        guard let running = transition else { return nil }
        transition = nil
        canvas.progress = 1
        updateTicking()
        return running.completion
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
            keepingPicture { body(isLoading) }
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
