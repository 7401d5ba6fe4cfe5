import Foundation

/// Runs `work` for at most `seconds`.
///
/// After that the work is cancelled, and its end is not awaited.
///
/// - Throws: The error of `work`, or a ``Failure`` after the timeout.
func withDeadline<Value: Sendable>(
    seconds: Double,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (outcomes, outcome) = AsyncThrowingStream.makeStream(of: Value.self)
    let worker = Task {
        do {
            outcome.yield(try await work())
            outcome.finish()
        } catch {
            outcome.finish(throwing: error)
        }
    }
    let clock = Task {
        try await Task.sleep(for: .seconds(seconds))
        outcome.finish(
            throwing: Failure(
                "timed out after \(trimmed(seconds)) s; increase --timeout"
            )
        )
    }
    defer {
        worker.cancel()
        clock.cancel()
    }
    for try await value in outcomes { return value }
    throw CancellationError()
}

/// A number without trailing zeros: `30`, `0.5`.
func trimmed(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}
