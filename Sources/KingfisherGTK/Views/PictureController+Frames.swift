#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// The animation of a view, and its playback settings.
struct AnimationState {
    var player: FramePlayer?
    var isPlaying = false
    /// Whether the caller has paused the animation.
    var isPaused = false
    /// The time of the frame clock at the last step.
    var lastTime: Double?
    var playsAutomatically = true
    var maxLoops: UInt?
    var preloadCount = 10
    /// The size in pixels that frames are decoded to; nil for their own size.
    var frameBox: CGSize?
    var prescales = true
    /// The painted frame, so that it is painted only once.
    var shownFrame: KFCrossPlatformImage?
    /// Whether the current frame was decoded again in another size, and is shown even if the animation
    /// is paused.
    var awaitsFrame = false
    var onEvent: ((FramePlayer.Event) -> Void)?
    /// Called after ``playback`` has changed.
    var onPlaybackChange: ((Playback) -> Void)?
    var reportedPlayback = Playback.none

    var playback: Playback { player == nil ? .none : isPlaying ? .playing : .paused }
}

/// Whether a GtkPicture shows an animation, and whether it plays.
enum Playback {
    case none
    case playing
    case paused
}

extension PictureController: FrameListener {
    /// Requests frames while something moves, and none otherwise.
    func updateTicking() {
        sight.setMoving(.transition, transition != nil)
        sight.setMoving(.animation, animation.isPlaying || animation.awaitsFrame)
        sight.setMoving(.spinner, canvas.spinnerColor != nil || spinnerDelay != nil)
        sight.setMoving(.load, pending != nil && sizing.loadsWhenVisible)
        reportPlayback()
    }

    /// Reports whether there is an animation and whether it plays, if that has changed.
    private func reportPlayback() {
        guard animation.playback != animation.reportedPlayback else { return }
        animation.reportedPlayback = animation.playback
        animation.onPlaybackChange?(animation.playback)
    }

    func frameBegins(at time: Double) {
        keepingPicture {
            sight.frameBegins()
            advanceTransition(to: time)
            advanceAnimation(to: time)
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
                if sight.isInSight { resumeAnimation() }
            } else {
                if animation.isPlaying { stopAnimation() }
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

    // MARK: Animation

    /// Replaces the animation by that of an image; nil removes it.
    func replaceAnimation(with image: KFCrossPlatformImage?) {
        animation.isPlaying = false
        animation.isPaused = false
        animation.shownFrame = nil
        animation.awaitsFrame = false
        animation.player = image.flatMap { player(for: $0) }
        resumeAnimation()
    }

    /// Decodes the frames again at the view's current size, keeping the position.
    func replaceFrames() {
        guard let image, let playing = animation.player else { return }
        animation.player = player(for: image, continuing: playing)
        animation.awaitsFrame = true
        guard sight.isInSight else { return }
        animation.player?.prepare()
        updateTicking()
    }

    /// Decodes the next frames and starts automatic playback, if the view is on screen.
    func resumeAnimation() {
        guard sight.isInSight else { return }
        animation.player?.prepare()
        startAnimationIfAutomatic()
    }

    /// Releases the frames while the view is off screen.
    func restAnimation() {
        animation.lastTime = nil
        animation.player?.purge(keepsCurrent: true)
    }

    private func player(
        for image: KFCrossPlatformImage,
        continuing playing: FramePlayer? = nil
    ) -> FramePlayer? {
        guard let source: any ImageFrameSource = image.kf.frameSource ?? LoadedFrames(image),
            source.frameCount > 1
        else { return nil }
        animation.frameBox = animation.prescales ? sizing.boxInPixels : nil
        return FramePlayer(
            source: source,
            preloadCount: animation.preloadCount,
            maxSize: animation.frameBox,
            maxLoops: animation.maxLoops,
            continuing: playing
        )
    }

    /// Starts the animation, unless it is paused or the user has turned animations off.
    private func startAnimationIfAutomatic() {
        guard animation.playsAutomatically, !animation.isPaused else { return }
        if kf_widget_animations_enabled(picture) { startAnimation() }
    }

    /// Stops until the caller resumes it or another image is set.
    func pauseAnimation() {
        animation.isPaused = true
        stopAnimation()
    }

    func startAnimation() {
        animation.isPaused = false
        guard let player = animation.player, !player.isFinished, !animation.isPlaying else {
            return
        }
        animation.isPlaying = true
        animation.lastTime = nil
        updateTicking()
    }

    func stopAnimation() {
        animation.isPlaying = false
        updateTicking()
    }

    private func advanceAnimation(to time: Double) {
        guard let player = animation.player else { return }
        guard animation.isPlaying else {
            if animation.awaitsFrame { showCurrentFrame(of: player) }
            return
        }
        let passed = animation.lastTime.map { time - $0 } ?? 0
        animation.lastTime = time
        let events = player.advance(by: passed)
        showCurrentFrame(of: player)
        if events.contains(.finished) { stopAnimation() }
        for event in events { animation.onEvent?(event) }
    }

    /// Shows the current frame once it is decoded, unless it is shown already.
    private func showCurrentFrame(of player: FramePlayer) {
        guard transition == nil, let frame = player.currentFrame, frame !== animation.shownFrame
        else { return }
        animation.shownFrame = frame
        canvas.show(frame)
        guard animation.awaitsFrame else { return }
        animation.awaitsFrame = false
        updateTicking()
    }
}
#endif
