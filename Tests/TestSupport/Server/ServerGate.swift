import Synchronization

/// A point in a script where the server waits for the test.
package final class ServerGate: Sendable {
    private struct State {
        var arrivals = 0
        var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    let event = ServerEvent()
    private let state = Mutex(State())

    /// Creates a closed gate.
    package init() {}

    /// Opens the gate for all current and later waiters.
    package func open() { event.set() }

    /// Waits until `count` scripts have reached this gate.
    package func reached(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func arrive() {
        let ready = state.withLock { state in
            state.arrivals += 1
            let arrivals = state.arrivals
            let ready = state.waiters.filter { $0.0 <= arrivals }.map { $0.1 }
            state.waiters.removeAll { $0.0 <= arrivals }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}
