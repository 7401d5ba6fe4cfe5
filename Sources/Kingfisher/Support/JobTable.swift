import Synchronization

/// Jobs by key: callers that request the same key at the same time share the work.
@_spi(Server) public final class JobTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let jobs = Mutex<[Key: Job<Value>]>([:])

    /// Makes a table without jobs.
    @_spi(Server) public init() {}

    /// The number of keys with running work.
    var runningCount: Int { jobs.withLock { $0.values.count { $0.isRunning } } }

    /// Returns the result for `key`, starting the work unless it is running.
    ///
    /// The result is not kept.
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
        try Task.checkCancellation()
        defer { removeUnlessRunning(key) }
        return try await Job.value {
            let job = job(for: key, where: \.isRunning) { Job { _ in try await work() } }.job
            job.start()
            return job
        }
    }

    /// Returns the job of a key that satisfies a condition, or a new one, which the caller starts.
    ///
    /// By default a job that has succeeded can be joined: its result is kept as long as the table.
    func job(
        for key: Key,
        where canJoin: (Job<Value>) -> Bool = \.isJoinable,
        orMake make: () -> Job<Value>
    ) -> (job: Job<Value>, isNew: Bool) {
        jobs.withLock { jobs in
            if let job = jobs[key], canJoin(job) { return (job, false) }
            let job = make()
            jobs[key] = job
            return (job, true)
        }
    }

    private func removeUnlessRunning(_ key: Key) {
        jobs.withLock { if $0[key]?.isRunning == false { $0[key] = nil } }
    }
}
