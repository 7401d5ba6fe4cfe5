import Synchronization

/// When the image of a load will be seen.
///
/// The deadline determines the order of loads that wait for a connection, a decoder or a worker
/// process, in place of ``KingfisherOptionsInfoItem/downloadPriority(_:)``. It can be changed while
/// the load waits: a view that scrolls sets it for each of its images in every frame.
///
/// ```swift
/// let interest = ImageInterest(.after(.milliseconds(200)))
/// let task = KingfisherManager.shared.retrieveImage(with: url, options: [.interest(interest)]) {
///     result in print(result)
/// }
/// // When the place of the image has left the screen:
/// interest.deadline = .gone
/// ```
///
/// An image that several loads share is as urgent as the most urgent of them. A load is neither
/// cancelled nor delayed by its deadline, unless others need its place.
public final class ImageInterest: Sendable {
    /// The time until an image is seen.
    public enum Deadline: Sendable, Hashable {
        /// The image is in sight, and stays there.
        case now
        /// The image will be in sight after this time. The time does not run by itself: set the
        /// deadline again while the view moves. 0 and less mean now.
        case after(Duration)
        /// It is not known when the image will be seen.
        case prefetch
        /// The image has left the screen, or will before it could be loaded.
        case gone
    }

    private struct State: Sendable {
        var deadline: Deadline
        var followers: [Int: @Sendable (Float) -> Void] = [:]
        var lastFollower = 0
    }

    private let state: Mutex<State>

    /// Creates an interest for one or more loads.
    public init(_ deadline: Deadline = .now) {
        state = Mutex(State(deadline: deadline))
    }

    /// When the image will be seen; on any thread.
    public var deadline: Deadline {
        get { state.withLock { $0.deadline } }
        set {
            let followers = state.withLock { state in
                guard state.deadline != newValue else { return [(@Sendable (Float) -> Void)]() }
                state.deadline = newValue
                return Array(state.followers.values)
            }
            for follower in followers { tell(follower) }
        }
    }

    /// The priority that the deadline means, from 0 (last) to 1 (first).
    var priority: Float { deadline.priority }

    /// Calls `body` with the priority now and after each change, until ``unfollow(_:)``.
    ///
    /// Changes on several threads may overlap; the last call of `body` to end has the last priority.
    func follow(_ body: @escaping @Sendable (Float) -> Void) -> Int {
        let number = state.withLock { state in
            state.lastFollower += 1
            state.followers[state.lastFollower] = body
            return state.lastFollower
        }
        tell(body)
        return number
    }

    private func tell(_ body: (Float) -> Void) {
        var told: Float
        repeat {
            told = priority
            body(told)
        } while told != priority
    }

    /// The number of loads that wait.
    var followerCount: Int { state.withLock { $0.followers.count } }

    func unfollow(_ number: Int) {
        state.change { $0.followers[number] = nil }
    }
}

extension ImageInterest.Deadline {
    /// An image in sight has the default priority; the others have that of a prefetch, a higher one
    /// if they are expected soon, and half of it.
    var priority: Float {
        let prefetch: Float = 0.25
        switch self {
        case .now: return 0.5
        case .after(let time):
            // Halved every quarter of a second, so that near deadlines differ the most.
            let seconds = Float(time / .seconds(1))
            return prefetch + prefetch * exp2(-max(0, seconds) * 4)
        case .prefetch: return prefetch
        case .gone: return prefetch / 2
        }
    }
}
