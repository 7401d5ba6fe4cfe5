public import Foundation

/// How a newly loaded image appears in a view.
public enum ImageTransition: Sendable {
    /// Immediately.
    case none
    /// Cross-fades from the previous image; the duration is in seconds.
    case fade(TimeInterval)
    /// Flips in from the left; the duration is in seconds.
    case flipFromLeft(TimeInterval)
    /// Flips in from the right; the duration is in seconds.
    case flipFromRight(TimeInterval)
    /// Flips in from the top; the duration is in seconds.
    case flipFromTop(TimeInterval)
    /// Flips in from the bottom; the duration is in seconds.
    case flipFromBottom(TimeInterval)
    /// A custom transition that places both images at each moment; the duration is in seconds.
    ///
    /// `frame` is called before each painted frame with the linear progress of the transition, from
    /// 0 to below 1. Apply easing in `frame` if needed.
    ///
    /// ```swift
    /// // The new image pushes the old one out to the left.
    /// .custom(duration: 0.3) { progress in
    ///     var frame = TransitionFrame()
    ///     frame.old.offset.x = -progress
    ///     frame.new.offset.x = 1 - progress
    ///     return frame
    /// }
    /// ```
    case custom(
        duration: TimeInterval,
        frame: @MainActor @Sendable (_ progress: Double) -> TransitionFrame
    )

    /// Whether there is nothing to animate.
    var isNone: Bool {
        if case .none = self { true } else { false }
    }
}

/// The placement of the two images of a custom transition at one moment.
///
/// Everything outside the view is clipped. The new image is in front unless ``isOldInFront`` is
/// set.
public struct TransitionFrame: Sendable, Equatable {
    /// One of the two images.
    public struct Layer: Sendable, Equatable {
        /// From 0 (invisible) to 1.
        public var opacity = 1.0
        /// Relative to the centre of the view; at 0 nothing is painted.
        public var scale = CGSize(width: 1, height: 1)
        /// Relative to the image's normal position, in widths and heights of the view.
        public var offset = CGPoint.zero
        /// Clockwise around the centre of the view, in degrees.
        public var rotation = 0.0

        /// Places the image at its normal position.
        public init() {}
    }

    /// The previous image; ignored if the view was empty.
    public var old = Layer()
    /// The newly loaded image.
    public var new = Layer()
    /// Whether the old image covers the new one.
    public var isOldInFront = false

    /// Places both images at their normal position.
    public init() {}
}
