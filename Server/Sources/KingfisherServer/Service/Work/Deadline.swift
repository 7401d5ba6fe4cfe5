/// Runs work with a limit on its time.
///
/// - Parameters:
///   - limit: The time after which the work is cancelled.
///   - error: The error that is thrown then.
///   - work: The work; it has to respect cancellation.
/// - Returns: The result of the work.
/// - Throws: `error`; the errors of the work.
func withDeadline<Value: Sendable>(
    _ limit: Duration,
    or error: ServiceError,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw error
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
