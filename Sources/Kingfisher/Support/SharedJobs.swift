import Synchronization

/// Work shared by all callers that request the same key at the same time.
///
/// The first caller of a key starts the work; others join it. Cancelling a caller's task releases
/// that caller immediately; cancelling the last one cancels the work. Results are not kept.
@_spi(Server) public final class SharedJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Job {
        let urgency: Urgency
        var waiters: [Int: Waiter] = [:]
        var work: Task<Void, Never>?
    }

    private struct State {
        var jobs: [Key: (id: Int, job: Job)] = [:]
        var nextID = 0

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let state = Mutex(State())

    /// Makes a table without work.
    @_spi(Server) public init() {}

    /// The number of keys with running work.
    var runningCount: Int { state.withLock { $0.jobs.count } }

    /// Returns the result for `key`, starting the work unless it is running.
    ///
    /// - Parameters:
    ///   - key: Identifies the work.
    ///   - work: The work.
    /// - Returns: The result.
    /// - Throws: The error of the work, or `CancellationError` if this caller's task is cancelled.
    @_spi(Server) public func value(
        for key: Key,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await value(for: key, urgency: Urgency()) { _ in try await work() }
    }

    /// Returns the result of work that receives the urgency of its callers.
    ///
    /// - Parameters:
    ///   - key: Identifies the work.
    ///   - urgency: The urgency of this caller; a later rise also raises that of the work.
    ///   - work: Receives the highest urgency of its callers.
    /// - Returns: The result.
    /// - Throws: The error of the work, or `CancellationError` if this caller's task is cancelled.
    func value(
        for key: Key,
        urgency: Urgency,
        _ work: @escaping @Sendable (Urgency) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let waiterID = state.withLock { $0.makeID() }
        defer { urgency.follow(nil) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(key, waiterID: waiterID, urgency, continuation, work)
            }
        } onCancel: {
            leave(key, waiterID: waiterID)
        }
    }

    private func enter(
        _ key: Key,
        waiterID: Int,
        _ urgency: Urgency,
        _ continuation: Waiter,
        _ work: @escaping @Sendable (Urgency) async throws -> Value
    ) {
        let own = Urgency(urgency.priority)
        let (startsAs, shared) = state.withLock { state -> (Int?, Urgency) in
            if let job = state.jobs[key]?.job {
                state.jobs[key]?.job.waiters[waiterID] = continuation
                return (nil, job.urgency)
            }
            let id = state.makeID()
            state.jobs[key] = (id, Job(urgency: own, waiters: [waiterID: continuation]))
            return (id, own)
        }
        urgency.follow { shared.raise(to: $0) }
        if let id = startsAs { start(key, id: id) { try await work(own) } }
        // A cancellation before the waiter was listed had no effect; handle it here.
        if Task.isCancelled { leave(key, waiterID: waiterID) }
    }

    private func start(_ key: Key, id: Int, _ work: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            finish(key, id: id, result)
        }
        let isOrphan = state.withLock { state in
            guard state.jobs[key]?.id == id else { return true }
            state.jobs[key]?.job.work = task
            return false
        }
        // All callers left, or the work ended, before the task was recorded.
        if isOrphan { task.cancel() }
    }

    private func finish(_ key: Key, id: Int, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Int: Waiter] in
            guard let entry = state.jobs[key], entry.id == id else { return [:] }
            state.jobs[key] = nil
            return entry.job.waiters
        }
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(with: result) }
    }

    private func leave(_ key: Key, waiterID: Int) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard var entry = state.jobs[key],
                let waiter = entry.job.waiters.removeValue(forKey: waiterID)
            else { return (nil, nil) }
            let isAbandoned = entry.job.waiters.isEmpty
            state.jobs[key] = isAbandoned ? nil : entry
            return (waiter, isAbandoned ? entry.job.work : nil)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

/// Shared work whose results are kept until ``forget()``, so that it is done once for each key.
///
/// Failures are not kept.
final class KeptJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = SharedJobs<Key, Value>()
    /// Nil after ``forget()``: work that finishes later is not kept.
    private let kept = Mutex<[Key: Value]?>([:])

    init() {}

    /// The number of keys with running work.
    var runningCount: Int { running.runningCount }

    /// Returns the result for `key`, starting the work if there is neither a result nor running
    /// work.
    ///
    /// - Parameters:
    ///   - key: Identifies the work.
    ///   - urgency: The urgency of this caller; a later rise also raises that of the work.
    ///   - work: Receives the combined urgency of all callers.
    /// - Returns: The result.
    /// - Throws: The error of the work, or `CancellationError` if this caller's task is cancelled.
    func value(
        for key: Key,
        urgency: Urgency,
        _ work: @escaping @Sendable (Urgency) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if let value = kept.withLock({ $0?[key] }) { return value }
        return try await running.value(for: key, urgency: urgency) { [self] urgency in
            // Another job may have finished between the check above and the start of this one.
            if let value = kept.withLock({ $0?[key] }) { return value }
            let value = try await work(urgency)
            kept.withLock { $0?[key] = value }
            return value
        }
    }

    /// Discards the results; later results are not kept either.
    func forget() {
        // Released outside the lock, since images are large.
        let results = kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
        withExtendedLifetime(results) {}
    }
}
