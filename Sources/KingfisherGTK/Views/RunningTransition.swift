#if GTK
import CKFGTK
import Kingfisher

/// A transition that the frame clock moves on.
struct RunningTransition {
    /// How a transition is painted.
    struct Look {
        let seconds: Double
        let kind: KFTransition
        /// Where the images lie, for one of the caller's.
        var frame: (@MainActor (_ progress: Double) -> TransitionFrame)?
    }

    let look: Look
    let completion: () -> Void
    /// When its first frame was, on the frame clock.
    private var start: Double?

    init(_ look: Look, completion: @escaping () -> Void) {
        self.look = look
        self.completion = completion
    }

    /// How far it is at a time, 0…1; the first time asked is its beginning.
    mutating func progress(at time: Double) -> Double {
        guard let start else {
            start = time
            return 0
        }
        return min(1, max(0, (time - start) / look.seconds))
    }
}

extension ImageTransition {
    /// How the transition is painted; nil when the image is shown at once.
    var look: RunningTransition.Look? {
        switch self {
        case .fade(let seconds): .init(seconds: seconds, kind: KF_TRANSITION_FADE)
        // Seen without perspective a card turns the same way from both sides.
        case .flipFromLeft(let seconds), .flipFromRight(let seconds):
            .init(seconds: seconds, kind: KF_TRANSITION_FLIP_VERTICAL_AXIS)
        case .flipFromTop(let seconds), .flipFromBottom(let seconds):
            .init(seconds: seconds, kind: KF_TRANSITION_FLIP_HORIZONTAL_AXIS)
        case .custom(let seconds, let frame):
            .init(seconds: seconds, kind: KF_TRANSITION_LAYERS, frame: frame)
        default: nil
        }
    }
}
#endif
