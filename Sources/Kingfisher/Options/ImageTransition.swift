public import Foundation

/// How a freshly loaded image appears in a view.
public enum ImageTransition: Sendable {
    /// At once.
    case none
    /// Cross-fading from what was shown, in seconds.
    case fade(TimeInterval)
    /// Turning in from the left, in seconds.
    case flipFromLeft(TimeInterval)
    /// Turning in from the right, in seconds.
    case flipFromRight(TimeInterval)
    /// Turning in from the top, in seconds.
    case flipFromTop(TimeInterval)
    /// Turning in from the bottom, in seconds.
    case flipFromBottom(TimeInterval)
    /// One of the caller's: where both images lie at each moment, in seconds.
    ///
    /// `frame` is called before each frame that is painted, with how far the transition is, from 0
    /// to below 1, in proportion to the time that has passed; it decides about easing itself.
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

/// Where the two images of a custom transition lie at one moment.
///
/// Whatever stands out over the view is cut off. The new image is in front unless said otherwise.
public struct TransitionFrame: Sendable, Equatable {
    /// One of the two images.
    public struct Layer: Sendable, Equatable {
        /// From 0, which paints nothing, to 1.
        public var opacity = 1.0
        /// About the middle of the view; at 0 nothing is painted.
        public var scale = CGSize(width: 1, height: 1)
        /// From its place, in widths and heights of the view.
        public var offset = CGPoint.zero
        /// Clockwise about the middle of the view, in degrees.
        public var rotation = 0.0

        /// An image in its place.
        public init() {}
    }

    /// What was shown before; nothing is painted where there was nothing.
    public var old = Layer()
    /// What has been loaded.
    public var new = Layer()
    /// Whether the old image covers the new one.
    public var isOldInFront = false

    /// Both images in their place.
    public init() {}
}
