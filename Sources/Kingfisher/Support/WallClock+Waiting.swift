import Foundation

/// Thrown by ``WallClock/run(within:_:)``.
struct TimedOut: Error {}

extension WallClock {
    /// Runs work, and returns its result.
    ///
    /// After the given time the work is cancelled, and the call returns without waiting for it.
    ///
    /// - Parameters:
    ///   - seconds: The limit, greater than 0.
    ///   - work: The work; it does not inherit the caller's cancellation.
    /// - Returns: The result of `work`.
    /// - Throws: ``TimedOut``, or the error of `work`.
    func run<Value: Sendable>(
        within seconds: TimeInterval,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var timer: RepeatingTimer?
        let result = await withCheckedContinuation { continuation in
            let end = OnceCompletion<Result<Value, any Error>> {
                continuation.resume(returning: $0)
            }
            let late = CancellationLatch()
            timer = every(seconds) {
                late.cancel()
                end(.failure(TimedOut()))
            }
            let task = Task {
                do { end(.success(try await work())) } catch { end(.failure(error)) }
                late.finish()
            }
            late.onCancel { task.cancel() }
        }
        withExtendedLifetime(timer) {}
        return try result.get()
    }

    /// Waits.
    ///
    /// - Parameter seconds: The time to wait, greater than 0.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func sleep(_ seconds: TimeInterval) async throws {
        let cancelled = CancellationLatch()
        var timer: RepeatingTimer?
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = OnceCompletion<Void> { continuation.resume() }
                timer = every(seconds) { end(()) }
                cancelled.onCancel { end(()) }
            }
        } onCancel: {
            cancelled.cancel()
        }
        withExtendedLifetime(timer) {}
        try Task.checkCancellation()
    }
}
