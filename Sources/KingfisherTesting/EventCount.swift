import Synchronization

/// Counts events, and wakes the callers that wait for a number of them.
final class EventCount: Sendable {
    private struct Waiter {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var count = 0
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Counts an event.
    func add() {
        let ready = state.withLock { state in
            state.count += 1
            let ready = state.waiters.filter { $0.count <= state.count }
            state.waiters.removeAll { $0.count <= state.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until there were `count` events, or the task is cancelled.
    func reached(_ count: Int) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count >= count || Task.isCancelled { return true }
                    state.waiters.append(Waiter(id: id, count: count, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
                // Cancelled between the check and the entry.
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume()
    }
}
