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
