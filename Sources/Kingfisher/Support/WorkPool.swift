import Dispatch
import Synchronization

/// A bounded number of threads for work that blocks or computes, most urgent first.
///
/// The cooperative pool of Swift concurrency must never block, and it has no priorities of ours:
/// heavy work leaves it here, in sight. Work of equal priority runs in the order of its arrival.
final class WorkPool: Sendable {
    private struct Job: Sendable {
        let priority: Float
        let sequence: UInt64
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        var waiting: [Job] = []
        var running = 0
        var sequence: UInt64 = 0
    }

    private let state = Mutex(State())
    private let width: Int
    private let queue: DispatchQueue

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - width: How many jobs run at once, at least 1.
    init(label: String, width: Int) {
        self.width = max(1, width)
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
    }

    /// Runs `body` on a thread of the pool and gives its result.
    ///
    /// Work that is cancelled while it waits throws `CancellationError` without running.
    func run<Result: Sendable>(
        priority: Float = 0.5,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let cancelled = CancellationLatch()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(priority: priority) {
                    if cancelled.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume(with: Swift.Result { try body() })
                    }
                }
            }
        } onCancel: {
            cancelled.cancel()
        }
    }

    /// Queues `body` without waiting for it.
    func submit(priority: Float = 0.5, _ body: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.sequence += 1
            let job = Job(priority: priority, sequence: state.sequence, body: body)
            let index =
                state.waiting.firstIndex { $0.priority > priority } ?? state.waiting.endIndex
            // Kept in rising priority with the oldest of a kind last, so that the next is the last.
            let place =
                state.waiting[..<index].firstIndex { $0.priority == priority } ?? index
            state.waiting.insert(job, at: place)
            guard state.running < width else { return false }
            state.running += 1
            return true
        }
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        while let job = next() { job.body() }
    }

    private func next() -> Job? {
        state.withLock { state in
            if let job = state.waiting.popLast() { return job }
            state.running -= 1
            return nil
        }
    }
}
