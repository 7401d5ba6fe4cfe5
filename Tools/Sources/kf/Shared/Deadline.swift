import Dispatch
import Foundation
@_spi(Programs) import Kingfisher

/// The end of the time of some work.
struct Deadline: Sendable {
    /// That of the task; nil without one.
    @TaskLocal static var current: Deadline?

    let end: ContinuousClock.Instant
    let failure: Failure

    /// Throws a ``Failure`` if the time is over.
    ///
    /// The task is cancelled then, but on a busy machine that waits for a thread, as all work does.
    func check() throws {
        guard ContinuousClock.now < end else { throw failure }
    }
}

/// Runs `work` for at most `seconds`.
///
/// After that the work is cancelled, and its end is not awaited.
///
/// - Parameters:
///   - seconds: The time that is left.
///   - timeout: The time for the message; nil for `seconds`.
///   - work: The work.
/// - Returns: Its result.
/// - Throws: The error of `work`, or a ``Failure`` after the timeout.
func withDeadline<Value: Sendable>(
    seconds: Double,
    of timeout: Double? = nil,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    // The clock does not tick while the system refuses the runtime a thread.
    let limit = Program.watch.addLimit(.seconds(seconds))
    defer { Program.watch.removeLimit(limit) }
    let deadline = Deadline(
        end: .now + .seconds(seconds),
        failure: Failure("timed out after \(trimmed(timeout ?? seconds)) s; increase --timeout")
    )
    let (outcomes, outcome) = AsyncThrowingStream.makeStream(of: Value.self)
    let worker = Task {
        do {
            outcome.yield(try await Deadline.$current.withValue(deadline) { try await work() })
            outcome.finish()
        } catch {
            outcome.finish(throwing: error)
        }
    }
    let clock = Task {
        try await Task.sleep(for: .seconds(seconds))
        outcome.finish(throwing: deadline.failure)
    }
    defer {
        worker.cancel()
        clock.cancel()
    }
    for try await value in outcomes { return value }
    throw CancellationError()
}

/// Runs blocking work for at most `seconds`, on a thread of its own; nil for any time.
///
/// The work is cancelled after that, which all encoders notice.
///
/// - Parameters:
///   - seconds: The time.
///   - work: The work. It must not change files: nothing waits for its end.
/// - Returns: Its result.
/// - Throws: As ``withDeadline(seconds:of:_:)``.
func onThread<Value: Sendable>(
    seconds: Double,
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withDeadline(seconds: seconds) { try await onThread(work) }
}

/// Runs blocking work in a task on a thread of its own, so that a deadline passes meanwhile.
///
/// The task is cancelled with the caller's, which encoders notice.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let task = Task(executorPreference: BlockingThreads.shared) { try work() }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

/// Threads besides those of Swift concurrency, of which there may be a single one.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

/// A number without trailing zeros: `30`, `0.5`.
func trimmed(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}
