import Dispatch
import Synchronization

/// Runs asynchronous work from this program's synchronous parts.
enum Blocking {
    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    /// Blocks this thread until `body` has ended, and throws its error.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Failure()
        Task {
            do { try await body() } catch { failure.error.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = failure.error.withLock({ $0 }) { throw error }
    }
}
