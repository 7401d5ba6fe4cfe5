import Dispatch
public import Foundation

/// Retries a number of times, with a pause between.
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
        let interval = retryInterval.timeInterval(for: context.retriedCount)
        guard interval > 0 else {
            retryHandler(.retry(userInfo: nil))
            return
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + interval) {
            retryHandler(.retry(userInfo: nil))
        }
    }
}
