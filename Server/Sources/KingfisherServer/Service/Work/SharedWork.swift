import Synchronization

/// Runs equal work once for all callers that ask for it while it runs.
///
/// A caller that is cancelled leaves at once; the work is cancelled when its last caller has left.
final class SharedWork<Value: Sendable>: Sendable {
    private struct Job {
        let number: UInt64
        var task: Task<Void, Never>?
        var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]
    }

    private struct State {
        var jobs: [String: Job] = [:]
        var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber &+= 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    /// The number of running jobs.
    var count: Int { state.withLock { $0.jobs.count } }

    /// The number of callers that wait for a job.
    func waiters(of key: String) -> Int {
        state.withLock { $0.jobs[key]?.waiters.count ?? 0 }
    }

    /// Returns the result of the work for a key, and starts it unless it runs.
    ///
    /// - Parameters:
    ///   - key: Equal keys mean equal work.
    ///   - work: The work; not run if there is a job of the key.
    /// - Returns: The result.
    /// - Throws: The error of the work; `CancellationError` if the calling task is cancelled.
    func value(
        for key: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let waiter = state.withLock { $0.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, waiter, continuation, work)
                // The handler may have run before there was a waiter.
                if Task.isCancelled { leave(key, waiter) }
            }
        } onCancel: {
            leave(key, waiter)
        }
    }

    private func join(
        _ key: String,
        _ waiter: UInt64,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        state.withLock { state in
            if state.jobs[key] != nil {
                state.jobs[key]?.waiters[waiter] = continuation
                return
            }
            let number = state.nextNumber()
            var job = Job(number: number, waiters: [waiter: continuation])
            job.task = Task {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                finish(key, number, result)
            }
            state.jobs[key] = job
        }
    }

    private func leave(_ key: String, _ waiter: UInt64) {
        let (continuation, task) = state.withLock { state in
            let continuation = state.jobs[key]?.waiters.removeValue(forKey: waiter)
            guard continuation != nil, let job = state.jobs[key], job.waiters.isEmpty else {
                return (continuation, Task<Void, Never>?.none)
            }
            // Later callers start new work; this one may already have stopped.
            state.jobs[key] = nil
            return (continuation, job.task)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }

    private func finish(_ key: String, _ number: UInt64, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            guard let job = state.jobs[key], job.number == number else {
                return [CheckedContinuation<Value, any Error>]()
            }
            state.jobs[key] = nil
            return Array(job.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
