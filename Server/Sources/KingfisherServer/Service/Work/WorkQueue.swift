import Synchronization

/// Limits how much work runs at once: first come, first served.
///
/// All operations take constant time, amortised.
final class WorkQueue: Sendable {
    private struct State {
        var running = 0
        /// The waiters in order; those that have left are only removed from ``continuations``.
        var order: [UInt64] = []
        var first = 0
        var continuations: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastNumber: UInt64 = 0

        /// The next waiter that has not left.
        mutating func next() -> CheckedContinuation<Void, any Error>? {
            while first < order.count {
                let number = order[first]
                first += 1
                if let continuation = continuations.removeValue(forKey: number) {
                    compact()
                    return continuation
                }
            }
            compact()
            return nil
        }

        /// Removes the served half of the list.
        private mutating func compact() {
            guard first > 64, first * 2 > order.count || first == order.count else { return }
            order.removeFirst(first)
            first = 0
        }
    }

    private let state = Mutex(State())
    /// The number of pieces of work that run at the same time.
    let width: Int

    /// Makes an empty queue.
    init(width: Int) { self.width = max(1, width) }

    /// The pieces of work that run.
    var running: Int { state.withLock { $0.running } }

    /// The pieces of work that wait for a slot.
    var queued: Int { state.withLock { $0.continuations.count } }

    /// Runs a piece of work as soon as it is next.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; the errors of `body`.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let number = state.withLock { state -> UInt64? in
            guard state.running >= width else {
                state.running += 1
                return nil
            }
            state.lastNumber &+= 1
            return state.lastNumber
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(continuation, number)
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func enqueue(_ continuation: CheckedContinuation<Void, any Error>, _ number: UInt64) {
        let isFree = state.withLock { state in
            // A slot may have become free since `begin` looked.
            guard state.running >= width else {
                state.running += 1
                return true
            }
            state.order.append(number)
            state.continuations[number] = continuation
            return false
        }
        if isFree { continuation.resume() }
    }

    private func leave(_ number: UInt64) {
        let continuation = state.withLock { $0.continuations.removeValue(forKey: number) }
        continuation?.resume(throwing: CancellationError())
    }

    private func end() {
        let next = state.withLock { state in
            // A waiter takes the slot over, so that no newcomer overtakes it.
            let next = state.next()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.resume()
    }
}
