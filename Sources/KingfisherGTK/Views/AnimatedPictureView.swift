#if GTK
import Foundation
public import Kingfisher

/// Is notified of the loops of an animation.
public protocol PictureAnimationDelegate: AnyObject {
    /// Called after each loop.
    ///
    /// - Parameters:
    ///   - view: The view.
    ///   - count: The number of completed loops.
    func pictureView(_ view: AnimatedPictureView, didPlayAnimationLoops count: UInt)

    /// Called when the last loop has ended.
    func pictureViewDidFinishAnimating(_ view: AnimatedPictureView)
}

extension PictureAnimationDelegate {
    /// Does nothing by default.
    ///
    /// - Parameters:
    ///   - view: The view.
    ///   - count: The number of completed loops.
    public func pictureView(_ view: AnimatedPictureView, didPlayAnimationLoops count: UInt) {}

    /// Does nothing.
    public func pictureViewDidFinishAnimating(_ view: AnimatedPictureView) {}
}

/// An image view with control over the playback of animations.
///
/// The frames follow the window's frame clock while the view is on screen, and pause otherwise.
/// They are decoded shortly before they are due, to the view's size.
///
/// ```swift
/// let view = AnimatedPictureView()
/// view.kf.setImage(with: animationURL)
/// gtk_box_append(box, view.widget)
/// ```
public final class AnimatedPictureView: ImageView {
    /// How often an animation is played.
    public typealias RepeatCount = Kingfisher.AnimatedImageView.RepeatCount

    /// Is notified of loops.
    public weak var delegate: (any PictureAnimationDelegate)?

    /// Makes a view with a new GtkPicture.
    public override init() {
        super.init()
        observe()
    }

    /// Attaches to an existing GtkPicture.
    public override init(picture: OpaquePointer) {
        super.init(picture: picture)
        observe()
    }

    private var animation: ViewAnimation { controller.content.animation }

    private func observe() {
        animation.onEvent = { [weak self] event in
            guard let self else { return }
            switch event {
            case .frameChanged: break
            case .loopEnded(let count): delegate?.pictureView(self, didPlayAnimationLoops: count)
            case .finished: delegate?.pictureViewDidFinishAnimating(self)
            }
        }
    }

    /// Whether an animation starts automatically while the view is on screen; true by default.
    ///
    /// It does not start if the user has turned animations off.
    public var autoPlayAnimatedImage: Bool {
        get { animation.playsAutomatically }
        set { animation.playsAutomatically = newValue }
    }

    /// The number of frames to decode ahead, 10 by default; a change applies to the next image.
    public var framePreloadCount: Int {
        get { animation.preloadCount }
        set { animation.preloadCount = newValue }
    }

    /// Whether frames are decoded to the view's size; true by default.
    public var needsPrescaling: Bool {
        get { animation.prescales }
        set { animation.prescales = newValue }
    }

    /// How often animations are played; a change restarts the animation.
    public var repeatCount: RepeatCount {
        get { animation.maxLoops.map { .finite(count: $0) } ?? .infinite }
        set {
            guard newValue != repeatCount else { return }
            animation.maxLoops =
                switch newValue {
                case .once: 1
                case .finite(let count): count
                case .infinite: nil
                }
            animation.replace(with: image)
        }
    }

    /// Whether the animation is playing.
    public var isAnimating: Bool { animation.isPlaying }

    /// Starts or resumes; no effect without an animation or after its end.
    public func startAnimating() { animation.start() }

    /// Pauses.
    ///
    /// The animation stays paused when the view leaves the screen and returns.
    public func stopAnimating() { animation.pause() }

    /// Releases decoded frames; they are decoded again when needed.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animation.player?.purge(keepsCurrent: keepCurrentFrame)
    }

    /// The index of the current frame; 0 for a still image.
    public var currentFrameIndex: Int { animation.player?.currentIndex ?? 0 }
}
#endif
