public import Foundation

/// Retries a number of times, with a pause between.
///
/// A server that asks for a longer pause gets it: `Retry-After` of a 429 or 503.
public struct DelayRetryStrategy: RetryStrategy {
    /// The length of a pause.
    public enum Interval: Sendable {
        /// Always so many seconds.
        case seconds(TimeInterval)
        /// So many seconds more each time.
        case accumulated(TimeInterval)
        /// By the number of retries so far.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        func timeInterval(for retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): Double(retriedCount + 1) * seconds
            case .custom(let block): block(retriedCount)
            }
        }
    }

    /// The most retries.
    public let maxRetryCount: Int

    /// The pause before each.
    public let retryInterval: Interval

    /// The longest pause, in seconds, that a server can ask for; beyond it the load fails.
    ///
    /// A minute by default: nobody looks at a placeholder for longer.
    public var longestServerDelay: TimeInterval = 60

    /// Calls back after so many seconds.
    var schedule: RetryDelay.Schedule = RetryDelay.onMainQueue

    /// Makes a strategy.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
    }

    /// Retries response errors, among them refused status codes; cancels and others stop.
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
