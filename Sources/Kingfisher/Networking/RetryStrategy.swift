import Synchronization

/// What a retry strategy is told; one object for all attempts of a load.
///
/// `@unchecked`: the class is public and not final, and `userInfo` is whatever the strategy put
/// there; its state is guarded by a mutex.
public class RetryContext: @unchecked Sendable {
    private struct State: @unchecked Sendable {
        var error: KingfisherError
        var retriedCount = 0
        var userInfo: Any?
    }

    private let state: Mutex<State>

    /// The source that is being loaded.
    public let source: Source

    /// The first error of the load.
    public let error: KingfisherError

    /// How many retries there were, 0 at first.
    public var retriedCount: Int {
        get { state.withLock { $0.retriedCount } }
        set { state.withLock { $0.retriedCount = newValue } }
    }

    /// What the last `.retry` decision carried.
    public var userInfo: Any? {
        state.withLock { BoxedValue(value: $0.userInfo) }.value
    }

    /// The error of the last attempt; the same as ``error`` at first.
    public var lastError: KingfisherError { state.withLock { $0.error } }

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
        state = Mutex(State(error: error))
    }

    /// Prepares the context for the question after the next failure.
    func advance(userInfo: Any?) {
        let box = BoxedValue(value: userInfo)
        state.withLock {
            $0.retriedCount += 1
            $0.userInfo = box.value
        }
    }

    /// Keeps a value for the next question without counting a retry.
    func keep(userInfo: Any?) {
        let box = BoxedValue(value: userInfo)
        state.withLock { $0.userInfo = box.value }
    }

    func fail(with error: KingfisherError) {
        state.withLock { $0.error = error }
    }
}

/// Carries a value of the strategy's across the mutex.
///
/// `@unchecked`: nobody but the strategy looks inside.
private struct BoxedValue: @unchecked Sendable {
    let value: Any?
}

/// What to do about a failure.
///
/// `@unchecked`: `userInfo` is the strategy's own and comes back to nobody but it.
public enum RetryDecision: @unchecked Sendable {
    /// Try again; the value is in the context of the next question.
    case retry(userInfo: Any?)
    /// Give up.
    case stop
}

/// Decides about failures.
public protocol RetryStrategy: Sendable {
    /// Decides; call the handler exactly once, at any time and from any thread.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}
