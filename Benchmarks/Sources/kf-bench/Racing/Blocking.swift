import Dispatch
import Synchronization

/// Runs asynchronous work from this program's synchronous parts.
enum Blocking {
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Blocks this thread until `body` has ended, and returns its value or throws its error.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.result.withLock({ $0 }) else {
            throw BenchmarkError("the work has ended without a result")
        }
        return try result.get()
    }
}
