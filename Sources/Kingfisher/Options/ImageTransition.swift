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

    /// Whether there is nothing to animate.
    var isNone: Bool {
        if case .none = self { true } else { false }
    }
}
