import Dispatch
public import Foundation
import Synchronization

// `@unchecked`: the class is public and not final, and `userInfo` is set by the strategy; its
// state is guarded by a mutex.
/// The context of a retry strategy; one object for all attempts of a load.
///
/// ```swift
/// func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
///     retryHandler(context.retriedCount < 2 ? .retry(userInfo: nil) : .stop)
/// }
/// ```
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
        state.change {
            // The strategy may have set any number.
            $0.retriedCount = max($0.retriedCount, $0.retriedCount &+ 1)
            $0.userInfo = box.value
        }
    }

    /// Stores a value for the next failure without counting a retry.
    func keep(userInfo: Any?) {
        let box = BoxedValue(value: userInfo)
        state.change { $0.userInfo = box.value }
    }

    func fail(with error: KingfisherError) {
        state.change { $0.error = error }
    }
}

/// Passes a value of the strategy through the mutex.
///
/// `@unchecked`: only the strategy uses the value.
private struct BoxedValue: @unchecked Sendable {
    let value: Any?
}

// `@unchecked`: `userInfo` belongs to the strategy and is only passed back to it.
/// The decision of a retry strategy.
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
    ///   - retryHandler: Must be called exactly once, at any time and on any thread. Releasing it
    ///     without a call stops the load like `.stop`.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}

/// How retry strategies wait.
enum RetryDelay {
    /// Calls a closure after a number of seconds.
    typealias Schedule = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    /// Not the main queue: a program may block its main thread until the load has ended.
    ///
    /// Concurrent, because a strategy of the user's may block in a handler that it passes on.
    static let queue = DispatchQueue(
        label: "com.onevcat.Kingfisher.retry",
        qos: .userInitiated,
        attributes: .concurrent
    )

    static let onOwnQueue: Schedule = { seconds, body in
        queue.asyncAfter(deadline: .now() + min(seconds, 1e9), execute: body)
    }
}

/// Retries a number of times, with a delay before each attempt.
///
/// A longer delay that the server requests with the `Retry-After` of a 429 or 503 is respected.
public struct DelayRetryStrategy: RetryStrategy {
    /// The length of a delay.
    public enum Interval: Sendable {
        /// A constant number of seconds.
        case seconds(TimeInterval)
        /// A delay that grows by this number of seconds with each retry.
        case accumulated(TimeInterval)
        /// A delay in seconds that depends on the number of previous retries.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        func timeInterval(for retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): (Double(retriedCount) + 1) * seconds
            case .custom(let block): block(retriedCount)
            }
        }
    }

    /// The maximum number of retries.
    public let maxRetryCount: Int

    /// The delay before each retry.
    public let retryInterval: Interval

    /// The longest delay in seconds that a server may request; if it requests more, the load fails.
    ///
    /// One minute by default, since users do not wait longer for an image.
    public var longestServerDelay: TimeInterval = 60

    /// Calls a closure after a number of seconds.
    var schedule: RetryDelay.Schedule = RetryDelay.onOwnQueue

    /// Makes a strategy.
    ///
    /// - Parameters:
    ///   - maxRetryCount: The maximum number of retries.
    ///   - retryInterval: The delay before each retry.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
    }

    /// Retries response errors, including refused status codes; stops on all other errors.
    ///
    /// See ``RetryStrategy/retry(context:retryHandler:)``.
    public func retry(
        context: RetryContext,
        retryHandler: @escaping @Sendable (RetryDecision) -> Void
    ) {
        guard context.retriedCount < maxRetryCount,
            case .responseError = context.lastError
        else {
            retryHandler(.stop)
            return
        }
        let asked = context.lastError.retryAfter?.inSeconds ?? 0
        guard asked <= longestServerDelay else {
            retryHandler(.stop)
            return
        }
        let interval = max(retryInterval.timeInterval(for: context.retriedCount), asked)
        guard interval > 0 else {
            retryHandler(.retry(userInfo: nil))
            return
        }
        schedule(interval) { retryHandler(.retry(userInfo: nil)) }
    }
}

/// Retries when the network is available again.
///
/// With a network, the load is retried immediately, but only a few times, because the failure is
/// then probably the server's. A delay requested by the server with `Retry-After` is respected.
/// Without a network, the strategy waits until the machine has a route to the outside.
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeoutInterval: TimeInterval?
    private let maxRetryCount: Int
    private let monitor: any NetworkMonitoring
    private let schedule: RetryDelay.Schedule

    /// Makes a strategy.
    ///
    /// - Parameters:
    ///   - timeoutInterval: The maximum time to wait for a network in seconds; nil waits forever.
    ///   - maxRetryCount: The maximum number of retries of one load.
    public init(timeoutInterval: TimeInterval? = 30, maxRetryCount: Int = 5) {
        self.init(
            timeoutInterval: timeoutInterval,
            maxRetryCount: maxRetryCount,
            networkMonitor: NetworkMonitor.system
        )
    }

    init(
        timeoutInterval: TimeInterval?,
        maxRetryCount: Int = 5,
        networkMonitor: any NetworkMonitoring,
        schedule: @escaping RetryDelay.Schedule = RetryDelay.onOwnQueue
    ) {
        self.timeoutInterval = timeoutInterval
        self.maxRetryCount = maxRetryCount
        monitor = networkMonitor
        self.schedule = schedule
    }

    /// Retries response errors; stops on other errors, and if the network does not return in time.
    ///
    /// See ``RetryStrategy/retry(context:retryHandler:)``.
    public func retry(
        context: RetryContext,
        retryHandler: @escaping @Sendable (RetryDecision) -> Void
    ) {
        (context.userInfo as? any NetworkObserver)?.cancel()
        guard context.retriedCount < maxRetryCount, case .responseError = context.lastError else {
            retryHandler(.stop)
            return
        }
        if monitor.isConnected {
            retryConnected(context, retryHandler)
            return
        }
        let observer = monitor.observeConnectivity(timeoutInterval: timeoutInterval) {
            isConnected in
            retryHandler(isConnected ? .retry(userInfo: context.userInfo) : .stop)
        }
        // Stored so that the next call can cancel this wait.
        context.keep(userInfo: observer)
    }

    /// Retries immediately, or after the delay that the server requests.
    ///
    /// Stops if that delay exceeds the maximum time to wait for a network.
    private func retryConnected(
        _ context: RetryContext,
        _ retryHandler: @escaping @Sendable (RetryDecision) -> Void
    ) {
        let asked = context.lastError.retryAfter?.inSeconds ?? 0
        guard asked > 0 else { return retryHandler(.retry(userInfo: nil)) }
        guard asked <= timeoutInterval ?? .infinity else { return retryHandler(.stop) }
        schedule(asked) { retryHandler(.retry(userInfo: nil)) }
    }
}
