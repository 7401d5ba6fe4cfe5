public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
/// The run loop mode in which animations play; nothing depends on it without a run loop.
public let KFRunLoopModeCommon = RunLoop.Mode.common

/// An image view that decodes the frames of an animation while it plays them.
///
/// It keeps a few frames instead of all, so that a long animation costs little memory. It plays
/// while it is in a ``KFCrossPlatformWindow``; ``displayFrame(_:)`` is called with each frame.
open class AnimatedImageView: KFCrossPlatformImageView {
    /// How often an animation is played.
    public enum RepeatCount: Equatable, Sendable {
        /// One time.
        case once
        /// So many times.
        case finite(count: UInt)
        /// For ever.
        case infinite

        /// Whether both play as often; `.once` is `.finite(count: 1)`.
        public static func == (lhs: RepeatCount, rhs: RepeatCount) -> Bool {
            lhs.maxLoops == rhs.maxLoops
        }

        var maxLoops: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }
    }

    /// Whether the animation starts when the view is put into a window, and with a new image.
    public var autoPlayAnimatedImage = true

    /// How many frames are decoded ahead.
    public var framePreloadCount = 10

    /// Whether frames are decoded to the size of the view instead of their own.
    public var needsPrescaling = true

    /// Kept for code that sets it; frames are always decoded off the main thread.
    @available(*, deprecated, message: "Frames are always decoded off the main thread.")
    public var backgroundDecode = true

    /// Kept for code that sets it.
    public var runLoopMode = KFRunLoopModeCommon

    /// How often the animation is played; changing it starts anew.
    public var repeatCount = RepeatCount.infinite {
        didSet {
            if oldValue != repeatCount { reset() }
        }
    }

    /// Is told of loops and of the end.
    public weak var delegate: (any AnimatedImageViewDelegate)?

    /// The frames and the state of the animation; nil for a still.
    public private(set) var animator: Animator?

    /// Whether the animation is moving.
    open private(set) var isAnimating = false

    private let ticker: any FrameTicker
    private weak var displayedFrame: KFCrossPlatformImage?

    /// Makes a view without an image.
    public override init(frame: CGRect = .zero) {
        ticker = TimerTicker()
        super.init(frame: frame)
    }

    /// Makes a view with a pulse of the caller's, which ticks while the view plays.
    public init(frame: CGRect, ticker: any FrameTicker) {
        self.ticker = ticker
        super.init(frame: frame)
    }

    /// The image that is shown; another one starts anew.
    open override var image: KFCrossPlatformImage? {
        didSet {
            if image !== oldValue { reset() }
        }
    }

    /// Plays, unless there is no animation or it is over.
    open func startAnimating() {
        guard !isAnimating, let animator, !animator.player.isFinished else { return }
        isAnimating = true
        ticker.start { [weak self] in self?.tick($0) }
    }

    /// Stands still; ``startAnimating()`` goes on from there.
    open func stopAnimating() {
        guard isAnimating else { return }
        isAnimating = false
        ticker.stop()
    }

    /// Called with each frame when its turn comes and it is decoded; override it to draw.
    open func displayFrame(_ frame: KFCrossPlatformImage) {}

    /// Throws decoded frames away; they are decoded again when the animation plays on.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animator?.player.purge(keepsCurrent: keepCurrentFrame)
    }

    /// Starts in a window and stops outside.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if window == nil { stopAnimating() } else if autoPlayAnimatedImage { startAnimating() }
    }

    override var preloadsAllAnimationFrames: Bool { false }

    private func reset() {
        stopAnimating()
        animator = image?.kf.frameSource.map { source in
            let size = needsPrescaling && !bounds.isEmpty ? bounds.size : nil
            let player = FramePlayer(
                source: source,
                preloadCount: framePreloadCount,
                maxSize: size,
                maxLoops: repeatCount.maxLoops
            )
            return Animator(player)
        }
        animator?.player.prepare()
        if autoPlayAnimatedImage, window != nil { startAnimating() }
    }

    private func tick(_ seconds: Double) {
        guard let animator else { return stopAnimating() }
        for event in animator.player.advance(by: seconds) {
            switch event {
            case .frameChanged:
                break
            case .loopEnded(let count):
                delegate?.animatedImageView(self, didPlayAnimationLoops: count)
            case .finished:
                stopAnimating()
                delegate?.animatedImageViewDidFinishAnimating(self)
            }
        }
        displayCurrentFrame()
    }

    /// Shows the current frame once it is decoded, which may be some ticks after its turn came.
    private func displayCurrentFrame() {
        guard let frame = animator?.currentFrameImage, frame !== displayedFrame else { return }
        displayedFrame = frame
        displayFrame(frame)
    }
}

extension AnimatedImageView {
    /// The frames of an animation, and where it stands.
    ///
    /// `@unchecked`: the class is public and not final; its one property is a constant that is safe
    /// to share.
    public class Animator: @unchecked Sendable {
        let player: FramePlayer

        init(_ player: FramePlayer) {
            self.player = player
        }

        /// How many frames are decoded ahead.
        public var maxFrameCount: Int { player.preloadCount }

        /// The current frame; nil while it is not decoded.
        public var currentFrameImage: KFCrossPlatformImage? { player.currentFrame }

        /// Seconds that the current frame is shown.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }

        /// The index of the current frame.
        public var currentFrameIndex: Int { player.currentIndex }

        /// Whether the current frame is the last.
        public var isLastFrame: Bool { currentFrameIndex == player.frameCount - 1 }

        /// A frame, if it is decoded.
        public func frame(at index: Int) -> KFCrossPlatformImage? {
            player.frame(at: index)
        }

        /// Seconds that a frame is shown; infinite for an index out of range.
        public func duration(at index: Int) -> TimeInterval {
            player.duration(at: index)
        }
    }
}
