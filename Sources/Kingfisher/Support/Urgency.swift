import Synchronization

/// How urgent shared work is: as urgent as the most urgent of those who have asked for it.
///
/// It only rises: that one of several has left is no reason to let the others wait longer.
final class Urgency: Sendable {
    private struct State: Sendable {
        var priority: Float
        var listener: (@Sendable (Float) -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameter priority: 0 (last) … 1 (first).
    init(_ priority: Float = 0.5) {
        state = Mutex(State(priority: priority))
    }

    var priority: Float { state.withLock { $0.priority } }

    /// Raises the priority, and tells the listener when that changes anything.
    func raise(to priority: Float) {
        let listener = state.withLock { state -> (@Sendable (Float) -> Void)? in
            guard priority > state.priority else { return nil }
            state.priority = priority
            return state.listener
        }
        listener?(priority)
    }

    /// Calls `listener` whenever the priority rises, in place of the one before, and once now.
    func follow(_ listener: (@Sendable (Float) -> Void)?) {
        let priority = state.withLock { state in
            state.listener = listener
            return state.priority
        }
        listener?(priority)
    }
}
