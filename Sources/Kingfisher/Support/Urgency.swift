import Synchronization

/// The urgency of shared work: the highest priority of its callers so far.
///
/// It only rises. When an urgent caller leaves, the remaining callers keep the priority.
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

    /// Raises the priority, and notifies the listener if it changed.
    func raise(to priority: Float) {
        let listener = state.withLock { state -> (@Sendable (Float) -> Void)? in
            guard priority > state.priority else { return nil }
            state.priority = priority
            return state.listener
        }
        listener?(priority)
    }

    /// Calls `listener` now and whenever the priority rises; replaces the previous listener.
    func follow(_ listener: (@Sendable (Float) -> Void)?) {
        let priority = state.withLock { state in
            state.listener = listener
            return state.priority
        }
        listener?(priority)
    }
}
