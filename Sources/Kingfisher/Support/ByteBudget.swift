import Synchronization

/// Limits the bytes in use at once; a request that exceeds the free bytes waits.
///
/// Fair: requests are granted in order of arrival, even if a later one is smaller. A request larger
/// than the whole budget is granted once nothing else is in use; otherwise large images could never
/// be decoded.
final class ByteBudget: Sendable {
    private struct Waiter {
        let bytes: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var used = 0 {
            didSet { peak = max(peak, used) }
        }
        var peak = 0
        private var waiters: [Int: Waiter] = [:]
        /// The numbers of the waiters in order of arrival, and of some that have left.
        private var line: [Int] = []
        private var head = 0
        private var lastID = 0

        var isLineEmpty: Bool { waiters.isEmpty }

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func append(_ waiter: Waiter, _ id: Int) {
            // Each number is moved once for as many that have left: O(1), amortized.
            if line.count > 2 * waiters.count + 32 {
                line = line[head...].filter { waiters[$0] != nil }
                head = 0
            }
            waiters[id] = waiter
            line.append(id)
        }

        mutating func remove(_ id: Int) -> Waiter? { waiters.removeValue(forKey: id) }

        /// Removes and returns the first waiter, if it meets a condition.
        mutating func popFirst(where isNext: (Waiter) -> Bool) -> Waiter? {
            while head < line.count {
                guard let first = waiters[line[head]] else {
                    head += 1
                    continue
                }
                return isNext(first) ? remove(line[head]) : nil
            }
            return nil
        }
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
            if state.isLineEmpty, fits(bytes, in: state.used) {
                state.used += bytes
                return nil
            }
            return state.makeID()
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(bytes: bytes, continuation: continuation), id)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func wait(_ waiter: Waiter, _ id: Int) {
        state.withLock { $0.append(waiter, id) }
        admit()
        // A cancellation before the waiter was listed had no effect; handle it here.
        if Task.isCancelled { leave(id) }
    }

    private func leave(_ id: Int) {
        guard let waiter = state.withLock({ $0.remove(id) }) else { return }
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
            let used = state.used
            let next = state.popFirst { fits($0.bytes, in: used) }
            state.used += next?.bytes ?? 0
            return next
        }
    }

    private func fits(_ bytes: Int, in used: Int) -> Bool { used == 0 || bytes <= limit - used }
}
