import Synchronization

/// Limits the bytes in use at once; a request that exceeds the free bytes waits.
///
/// Fair: requests are granted in order of arrival, even if a later one is smaller. A request larger
/// than the whole budget is granted once nothing else is in use; otherwise large images could never
/// be decoded.
final class ByteBudget: Sendable {
    private struct Waiter {
        let id: Int
        let bytes: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var used = 0 {
            didSet { peak = max(peak, used) }
        }
        var peak = 0
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let state = Mutex(State())
    let limit: Int

    /// Makes a budget of `limit` bytes, at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The bytes in use.
    var used: Int { state.withLock { $0.used } }

    /// The highest number of bytes in use so far; for tests.
    var peak: Int { state.withLock { $0.peak } }

    /// Runs `body` once `bytes` are free, and releases them afterwards.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that `body` needs.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: `CancellationError` if cancelled while waiting, otherwise the error of `body`.
    func with<Result>(
        bytes: Int,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let bytes = max(0, bytes)
        try await take(bytes)
        defer { giveBack(bytes) }
        return try await body()
    }

    /// Waits until `bytes` are free; the caller must return them with ``giveBack(_:)``.
    ///
    /// - Throws: `CancellationError` if cancelled while waiting.
    func take(_ bytes: Int) async throws {
        try Task.checkCancellation()
        let id: Int? = state.withLock { state in
            if state.waiters.isEmpty, fits(bytes, in: state) {
                state.used += bytes
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(id: id, bytes: bytes, continuation: continuation))
            }
        } onCancel: {
            leave(id)
        }
    }

    private func wait(_ waiter: Waiter) {
        state.withLock { $0.waiters.append(waiter) }
        admit()
        // A cancellation before the waiter was listed had no effect; handle it here.
        if Task.isCancelled { leave(waiter.id) }
    }

    private func leave(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        guard let waiter else { return }
        waiter.continuation.resume(throwing: CancellationError())
        admit()
    }

    func giveBack(_ bytes: Int) {
        state.withLock { $0.used -= bytes }
        admit()
    }

    private func admit() {
        while let waiter = nextAdmitted() { waiter.continuation.resume() }
    }

    private func nextAdmitted() -> Waiter? {
        state.withLock { state in
            guard let first = state.waiters.first, fits(first.bytes, in: state) else { return nil }
            state.used += first.bytes
            return state.waiters.removeFirst()
        }
    }

    private func fits(_ bytes: Int, in state: borrowing State) -> Bool {
        state.used == 0 || bytes <= limit - state.used
    }
}
