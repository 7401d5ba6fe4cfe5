import Synchronization

/// The context of a retry strategy; one object for all attempts of a load.
///
/// `@unchecked`: the class is public and not final, and `userInfo` is set by the strategy; its
/// state is guarded by a mutex.
public class RetryContext: @unchecked Sendable {
    private struct State: @unchecked Sendable {
        var error: KingfisherError
        var retriedCount = 0
        var userInfo: Any?
    }

    private let state: Mutex<State>

    /// The source of the load.
    public let source: Source

    /// The first error of the load.
    public let error: KingfisherError

    /// The number of previous retries.
    public var retriedCount: Int {
        get { state.withLock { $0.retriedCount } }
        set { state.withLock { $0.retriedCount = newValue } }
    }

    /// The value of the last `.retry` decision.
    public var userInfo: Any? {
        state.withLock { BoxedValue(value: $0.userInfo) }.value
    }

    /// The error of the last attempt; initially the same as ``error``.
    public var lastError: KingfisherError { state.withLock { $0.error } }

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
        state = Mutex(State(error: error))
    }

    /// Updates the context for the next failure.
    func advance(userInfo: Any?) {
        let box = BoxedValue(value: userInfo)
        state.withLock {
            $0.retriedCount += 1
            $0.userInfo = box.value
        }
    }

    /// Stores a value for the next failure without counting a retry.
    func keep(userInfo: Any?) {
        let box = BoxedValue(value: userInfo)
        state.withLock { $0.userInfo = box.value }
    }

    func fail(with error: KingfisherError) {
        state.withLock { $0.error = error }
    }
}

/// Passes a value of the strategy through the mutex.
///
/// `@unchecked`: only the strategy uses the value.
private struct BoxedValue: @unchecked Sendable {
    let value: Any?
}

/// The decision of a retry strategy.
///
/// `@unchecked`: `userInfo` belongs to the strategy and is only passed back to it.
public enum RetryDecision: @unchecked Sendable {
    /// Retry; the value is passed to the next call in the context.
    case retry(userInfo: Any?)
    /// Stop: the load fails.
    case stop
}

/// Decides whether failed loads are retried.
public protocol RetryStrategy: Sendable {
    /// Decides whether to retry a load.
    ///
    /// - Parameters:
    ///   - context: The error and the number of previous retries.
    ///   - retryHandler: Must be called exactly once, at any time and on any thread.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}
