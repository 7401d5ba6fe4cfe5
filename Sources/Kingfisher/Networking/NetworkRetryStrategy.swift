public import Foundation

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
        schedule: @escaping RetryDelay.Schedule = RetryDelay.onMainQueue
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
