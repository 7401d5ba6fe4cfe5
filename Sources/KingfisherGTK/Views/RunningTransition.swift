#if GTK
import CKFGTK
import Kingfisher

/// A transition driven by the frame clock.
struct RunningTransition {
    /// The appearance of a transition.
    struct Look {
        let seconds: Double
        let kind: KFTransition
        /// The placement of the images, for custom transitions.
        var frame: (@MainActor (_ progress: Double) -> TransitionFrame)?
    }

    let look: Look
    let completion: () -> Void
    /// The time of the first frame on the frame clock.
    private var start: Double?

    init(_ look: Look, completion: @escaping () -> Void) {
        self.look = look
        self.completion = completion
    }

    /// The progress at a time, 0…1; the first call sets the start.
    mutating func progress(at time: Double) -> Double {
        guard let start else {
            start = time
            return 0
        }
        return min(1, max(0, (time - start) / look.seconds))
    }
}

extension ImageTransition {
    /// The appearance of the transition; nil if the image is shown immediately.
    var look: RunningTransition.Look? {
        switch self {
        case .fade(let seconds): .init(seconds: seconds, kind: KF_TRANSITION_FADE)
        // Without perspective, flipping from either side looks the same.
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
