public import Foundation

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
            case .accumulated(let seconds): Double(retriedCount + 1) * seconds
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
    var schedule: RetryDelay.Schedule = RetryDelay.onMainQueue

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
