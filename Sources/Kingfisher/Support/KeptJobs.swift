import Synchronization

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
