#if GTK
import CKFGTK
import Foundation
import Kingfisher

/// Whether a GtkPicture shows an animation, and whether it plays.
enum Playback {
    case none, playing, paused
}

/// The animation of a view, and its playback settings.
final class ViewAnimation {
    var playsAutomatically = true
    var maxLoops: UInt?
    var preloadCount = 10
    /// Whether frames are decoded to the size of the view.
    var prescales = true
    var onEvent: ((FramePlayer.Event) -> Void)?
    /// Called after ``playback`` has changed.
    var onPlaybackChange: ((Playback) -> Void)?
    private(set) var player: FramePlayer?
    private(set) var isPlaying = false
    /// Whether the caller has paused the animation.
    private(set) var isPaused = false
    /// The painted frame, so that it is painted only once.
    private(set) var shownFrame: KFCrossPlatformImage?
    /// Whether the current frame was decoded again in another size, and is shown even if the
    /// animation is paused.
    private var awaitsFrame = false
    /// The size in pixels that frames are decoded to; nil for their own size.
    private var frameBox: CGSize?
    /// The time of the frame clock at the last step.
    private var lastTime: Double?
    private var reportedPlayback = Playback.none
    private let canvas: PictureCanvas
    private let sight: ViewSight
    private let sizing: ViewSizing

    init(_ canvas: PictureCanvas, _ sight: ViewSight, _ sizing: ViewSizing) {
        self.canvas = canvas
        self.sight = sight
        self.sizing = sizing
    }

    var playback: Playback { player == nil ? .none : isPlaying ? .playing : .paused }

    private func changed() {
        sight.setMoving(.animation, isPlaying || awaitsFrame)
        guard playback != reportedPlayback else { return }
        reportedPlayback = playback
        onPlaybackChange?(playback)
    }

    // MARK: The image

    /// Replaces the animation by that of an image; nil removes it.
    func replace(with image: KFCrossPlatformImage?) {
        isPlaying = false
        isPaused = false
        shownFrame = nil
        awaitsFrame = false
        player = image.flatMap { makePlayer(for: $0) }
        resume()
        changed()
    }

    private func makePlayer(
        for image: KFCrossPlatformImage,
        continuing playing: FramePlayer? = nil
    ) -> FramePlayer? {
        guard let source = image.playableFrames else { return nil }
        frameBox = prescales ? sizing.boxInPixels : nil
        return FramePlayer(
            source: source,
            preloadCount: preloadCount,
            maxSize: frameBox,
            maxLoops: maxLoops,
            continuing: playing
        )
    }

    // MARK: Playback

    /// Decodes the next frames and starts automatic playback, if the view is on screen.
    func resume() {
        guard sight.isInSight else { return }
        player?.prepare()
        // Not if the user has turned animations off.
        if playsAutomatically, !isPaused, kf_widget_animations_enabled(canvas.picture) { start() }
    }

    /// Releases the frames while the view is off screen.
    func rest() {
        lastTime = nil
        player?.purge(keepsCurrent: true)
    }

    func start() {
        isPaused = false
        guard let player, !player.isFinished, !isPlaying else { return }
        isPlaying = true
        lastTime = nil
        changed()
    }

    /// Stops until the caller resumes it or another image is set.
    func pause() {
        isPaused = true
        stop()
    }

    func stop() {
        isPlaying = false
        changed()
    }

    func advance(to time: Double) {
        guard let player else { return }
        guard isPlaying else {
            if awaitsFrame { showCurrentFrame(of: player) }
            return
        }
        let passed = lastTime.map { time - $0 } ?? 0
        lastTime = time
        let events = player.advance(by: passed)
        showCurrentFrame(of: player)
        if events.contains(.finished) { stop() }
        for event in events { onEvent?(event) }
    }

    /// Shows the current frame once it is decoded, unless it is shown already.
    private func showCurrentFrame(of player: FramePlayer) {
        guard !canvas.isInTransition, let frame = player.currentFrame else { return }
        if frame !== shownFrame {
            shownFrame = frame
            canvas.show(frame)
        }
        guard awaitsFrame else { return }
        awaitsFrame = false
        changed()
    }

    // MARK: Size

    /// Whether the frames were decoded smaller than the view shows them, or in full size because
    /// the view's size was unknown.
    var needsLargerFrames: Bool {
        guard prescales, let player, let box = sizing.boxInPixels,
            let frame = shownFrame ?? player.currentFrame
        else { return false }
        let own = CGSize(width: frame.pixelWidth, height: frame.pixelHeight)
        guard let made = frameBox else { return box.width < own.width && box.height < own.height }
        let isLarger = box.width > made.width || box.height > made.height
        // A frame with fewer pixels than requested has no more detail. Rounding may lose one pixel.
        return isLarger && (own.width + 1 >= made.width || own.height + 1 >= made.height)
    }

    /// Decodes the frames of the image again at the view's current size, keeping the position.
    func replaceFrames(of image: KFCrossPlatformImage) {
        guard let playing = player else { return }
        player = makePlayer(for: image, continuing: playing)
        awaitsFrame = true
        if sight.isInSight { player?.prepare() }
        changed()
    }
}
#endif
