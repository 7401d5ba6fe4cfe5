#if GTK
import Foundation
public import Kingfisher

/// Hears of the rounds of an animation.
public protocol PictureAnimationDelegate: AnyObject {
    /// A round is over; `count` were played so far.
    func pictureView(_ view: AnimatedPictureView, didPlayAnimationLoops count: UInt)

    /// The last round is over.
    func pictureViewDidFinishAnimating(_ view: AnimatedPictureView)
}

extension PictureAnimationDelegate {
    /// Does nothing.
    public func pictureView(_ view: AnimatedPictureView, didPlayAnimationLoops count: UInt) {}

    /// Does nothing.
    public func pictureViewDidFinishAnimating(_ view: AnimatedPictureView) {}
}

/// An image view that says how animations are played.
///
/// The frames follow the window's frame clock while the view is on screen, and rest otherwise.
/// They are decoded shortly before they are due, to the view's size.
public final class AnimatedPictureView: ImageView {
    /// How often an animation is played.
    public typealias RepeatCount = Kingfisher.AnimatedImageView.RepeatCount

    /// Told of the rounds.
    public weak var delegate: (any PictureAnimationDelegate)?

    /// Makes a view with a picture of its own.
    public override init() {
        super.init()
        observe()
    }

    /// Attaches to a GtkPicture that is there already.
    public override init(picture: OpaquePointer) {
        super.init(picture: picture)
        observe()
    }

    private func observe() {
        controller.animation.onEvent = { [weak self] event in
            guard let self else { return }
            switch event {
            case .frameChanged: break
            case .loopEnded(let count): delegate?.pictureView(self, didPlayAnimationLoops: count)
            case .finished: delegate?.pictureViewDidFinishAnimating(self)
            }
        }
    }

    /// Whether an animation starts by itself while the view is on screen; true unless set.
    ///
    /// It does not where the user has turned animations off.
    public var autoPlayAnimatedImage: Bool {
        get { controller.animation.playsAutomatically }
        set { controller.animation.playsAutomatically = newValue }
    }

    /// How many frames are decoded ahead, 10 unless set; it counts from the next image on.
    public var framePreloadCount: Int {
        get { controller.animation.preloadCount }
        set { controller.animation.preloadCount = newValue }
    }

    /// Whether frames are decoded to the view's size; true unless set.
    public var needsPrescaling: Bool {
        get { controller.animation.prescales }
        set { controller.animation.prescales = newValue }
    }

    /// How often animations are played; changing it begins anew.
    public var repeatCount: RepeatCount {
        get { controller.animation.maxLoops.map { .finite(count: $0) } ?? .infinite }
        set {
            guard newValue != repeatCount else { return }
            controller.animation.maxLoops =
                switch newValue {
                case .once: 1
                case .finite(let count): count
                case .infinite: nil
                }
            controller.replaceAnimation(with: controller.image)
        }
    }

    /// Whether frames change now.
    public var isAnimating: Bool { controller.animation.isPlaying }

    /// Starts, or goes on; nothing happens without an animation or when it is finished.
    public func startAnimating() { controller.startAnimation() }

    /// Pauses.
    ///
    /// It stays paused when the view leaves the screen and comes back.
    public func stopAnimating() { controller.pauseAnimation() }

    /// Lets go of decoded frames.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        controller.animation.player?.purge(keepsCurrent: keepCurrentFrame)
    }

    /// The index of the frame that is shown; 0 for a still.
    public var currentFrameIndex: Int { controller.animation.player?.currentIndex ?? 0 }
}
#endif
