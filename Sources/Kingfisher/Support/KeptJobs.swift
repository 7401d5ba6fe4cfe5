import Synchronization

/// Shared work whose results are kept until they are forgotten, so that it is done once however
/// late somebody asks.
///
/// Failures are not kept.
final class KeptJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = SharedJobs<Key, Value>()
    /// Nil once the results are forgotten: work that ends later is not kept.
    private let kept = Mutex<[Key: Value]?>([:])

    init() {}

    /// The number of keys whose work runs.
    var runningCount: Int { running.runningCount }

    /// Gives the result of the work of `key`, starting it when nobody has.
    ///
    /// - Parameters:
    ///   - key: Names the work.
    ///   - urgency: Of this caller; the work follows it when it rises.
    ///   - work: Gets the urgency of all callers.
    /// - Returns: The result.
    /// - Throws: What the work throws, or `CancellationError` when this caller's task is cancelled.
    func value(
        for key: Key,
        urgency: Urgency,
        _ work: @escaping @Sendable (Urgency) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if let value = kept.withLock({ $0?[key] }) { return value }
        return try await running.value(for: key, urgency: urgency) { [self] urgency in
            // Somebody may have finished between the look above and the start.
            if let value = kept.withLock({ $0?[key] }) { return value }
            let value = try await work(urgency)
            kept.withLock { $0?[key] = value }
            return value
        }
    }

    /// Lets the results go, for good.
    func forget() {
        // Freed outside of the lock: pictures are large.
        let results = kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
        withExtendedLifetime(results) {}
    }
}
