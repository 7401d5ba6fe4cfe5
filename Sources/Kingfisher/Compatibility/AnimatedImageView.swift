public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
/// The run loop mode for animations; it has no effect on Linux.
public let KFRunLoopModeCommon = RunLoop.Mode.common

/// An image view that decodes the frames of an animation while it plays them.
///
/// It keeps a few frames instead of all of them, so that a long animation needs little memory. It
/// plays while it is in a ``KFCrossPlatformWindow`` and calls ``displayFrame(_:)`` for each frame.
///
/// ```swift
/// let view = AnimatedImageView()
/// view.repeatCount = .finite(count: 2)
/// view.kf.setImage(with: animationURL)
/// window.addSubview(view)
/// ```
open class AnimatedImageView: KFCrossPlatformImageView {
    /// How often an animation is played.
    public enum RepeatCount: Equatable, Sendable {
        /// Once.
        case once
        /// A given number of times.
        case finite(count: UInt)
        /// Without end.
        case infinite

        /// Whether both play the same number of times; `.once` equals `.finite(count: 1)`.
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

    /// Whether the animation starts when the view is added to a window and when a new image is set.
    public var autoPlayAnimatedImage = true

    /// The number of frames decoded in advance.
    public var framePreloadCount = 10

    /// Whether frames are decoded to the size of the view instead of their own size.
    public var needsPrescaling = true

    /// Has no effect; exists for compatibility.
    ///
    /// Frames are always decoded off the main thread.
    @available(*, deprecated, message: "Frames are always decoded off the main thread.")
    public var backgroundDecode = true

    /// Has no effect; exists for compatibility.
    public var runLoopMode = KFRunLoopModeCommon

    /// Has no effect; exists for compatibility.
    ///
    /// Linux has no background state. ``purgeFrames(keepCurrentFrame:)`` releases frames.
    public var purgeFramesOnBackground = false

    /// How often the animation is played; a change restarts it.
    public var repeatCount = RepeatCount.infinite {
        didSet {
            if oldValue != repeatCount { reset() }
        }
    }

    /// Notified of each loop and of the end of the animation.
    public weak var delegate: (any AnimatedImageViewDelegate)?

    /// The frames and the state of the animation; nil for a still image.
    public private(set) var animator: Animator?

    /// Whether the animation is playing.
    open private(set) var isAnimating = false

    private let ticker: any FrameTicker
    private weak var displayedFrame: KFCrossPlatformImage?

    /// Makes a view without an image.
    public override init(frame: CGRect = .zero) {
        ticker = TimerTicker()
        super.init(frame: frame)
    }

    /// Makes a view that is driven by a custom ticker.
    ///
    /// - Parameters:
    ///   - frame: The position and size in points.
    ///   - ticker: Ticks while the view plays.
    public init(frame: CGRect, ticker: any FrameTicker) {
        self.ticker = ticker
        super.init(frame: frame)
    }

    /// Makes a view of the size of an image; an animation plays in a window.
    public override init(image: KFCrossPlatformImage?) {
        ticker = TimerTicker()
        super.init(image: image)
        reset()
    }

    /// Makes a view without an image: views of this library are in no archive.
    ///
    /// Subclasses written for Apple's platforms implement it, and call it.
    public required init?(coder: NSCoder) {
        ticker = TimerTicker()
        super.init(frame: .zero)
    }

    /// The current image; setting another one restarts the animation.
    open override var image: KFCrossPlatformImage? {
        didSet {
            if image !== oldValue { reset() }
        }
    }

    /// Whether the animation is playing; setting it calls ``startAnimating()`` or
    /// ``stopAnimating()``.
    open var animates: Bool {
        get { isAnimating }
        set { newValue ? startAnimating() : stopAnimating() }
    }

    /// Whether the view is highlighted; cannot change while the animation is playing.
    open override var isHighlighted: Bool {
        get { super.isHighlighted }
        set {
            if !isAnimating { super.isHighlighted = newValue }
        }
    }

    /// Starts or resumes the animation, unless there is none or it has finished.
    open func startAnimating() {
        guard !isAnimating, let animator, !animator.player.isFinished else { return }
        isAnimating = true
        ticker.start { [weak self] in self?.tick($0) }
    }

    /// Pauses the animation; ``startAnimating()`` resumes it.
    open func stopAnimating() {
        guard isAnimating else { return }
        isAnimating = false
        ticker.stop()
    }

    /// Called with each frame when it is due and decoded; override it to draw the frame.
    open func displayFrame(_ frame: KFCrossPlatformImage) {}

    /// Releases decoded frames; they are decoded again when the animation continues.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animator?.player.purge(keepsCurrent: keepCurrentFrame)
    }

    /// Starts the animation in a window and stops it outside.
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

    /// Shows the current frame once it is decoded, which may be some ticks after it is due.
    private func displayCurrentFrame() {
        guard let frame = animator?.currentFrameImage, frame !== displayedFrame else { return }
        displayedFrame = frame
        displayFrame(frame)
    }
}

extension AnimatedImageView {
    // `@unchecked`: the class is public and not final; its only property is a constant that is
    // safe to share.
    /// The frames of an animation and its current position.
    public class Animator: @unchecked Sendable {
        let player: FramePlayer

        init(_ player: FramePlayer) {
            self.player = player
        }

        /// The number of frames decoded in advance.
        public var maxFrameCount: Int { player.preloadCount }

        /// The current frame; nil until it is decoded.
        public var currentFrameImage: KFCrossPlatformImage? { player.currentFrame }

        /// The duration of the current frame in seconds.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }

        /// The index of the current frame.
        public var currentFrameIndex: Int { player.currentIndex }

        /// Whether the current frame is the last.
        public var isLastFrame: Bool { currentFrameIndex == player.frameCount - 1 }

        /// Returns a frame if it is decoded.
        public func frame(at index: Int) -> KFCrossPlatformImage? {
            player.frame(at: index)
        }

        /// The duration of a frame in seconds; infinite for an index out of range.
        public func duration(at index: Int) -> TimeInterval {
            player.duration(at: index)
        }
    }
}

/// Is notified of the progress of a view's animation.
public protocol AnimatedImageViewDelegate: AnyObject {
    /// Called after each loop.
    ///
    /// - Parameters:
    ///   - imageView: The view.
    ///   - count: The number of completed loops.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)

    /// Called when the last loop has ended.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    /// Does nothing; see ``animatedImageView(_:didPlayAnimationLoops:)-(AnimatedImageView,UInt)``.
    public func animatedImageView(
        _ imageView: AnimatedImageView,
        didPlayAnimationLoops count: UInt
    ) {}

    /// Does nothing.
    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}
