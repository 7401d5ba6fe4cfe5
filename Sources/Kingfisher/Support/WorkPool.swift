import Dispatch
import Synchronization

/// A bounded number of threads for work that blocks or computes, most urgent first.
///
/// The cooperative pool of Swift concurrency must never block and does not know these priorities,
/// so heavy work runs here. Work of equal priority runs in order of arrival.
final class WorkPool: Sendable {
    private struct State: Sendable {
        var waiting = UrgentQueue<@Sendable () -> Void>()
        var running = 0
    }

    private let state = Mutex(State())
    private let width: Int
    private let queue: DispatchQueue

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - width: How many jobs run at the same time, at least 1.
    init(label: String, width: Int) {
        self.width = max(1, width)
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
    }

    /// Runs `body` on a thread of the pool and returns its result.
    ///
    /// - Parameters:
    ///   - urgency: Determines the place in the queue; may rise while the job waits.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: `CancellationError` if cancelled before `body` starts, otherwise the error of
    ///   `body`.
    func run<Result: Sendable>(
        urgency: Urgency = Urgency(),
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let cancelled = CancellationLatch()
        defer { urgency.follow(nil) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = submit(priority: urgency.priority) {
                    if cancelled.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume(with: Swift.Result { try body() })
                    }
                }
                urgency.follow { [weak self] in self?.raise(job, to: $0) }
            }
        } onCancel: {
            cancelled.cancel()
        }
    }

    /// Queues `body` and returns immediately.
    ///
    /// - Returns: The job's number.
    @discardableResult
    func submit(priority: Float = 0.5, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (job, starts) = state.withLock { state in
            let job = state.waiting.insert(body, priority: priority)
            let starts = state.running < width
            if starts { state.running += 1 }
            return (job, starts)
        }
        if starts { queue.async { self.drain() } }
        return job
    }

    /// Raises the priority of a waiting job; no effect on a running or finished one.
    private func raise(_ job: UInt64, to priority: Float) {
        state.withLock { $0.waiting.raise(job, to: priority) }
    }

    private func drain() {
        while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let body = state.waiting.next() { return body }
            state.running -= 1
            return nil
        }
    }
}
