public import Foundation

/// Retries when the network is there again.
///
/// With a network the load is tried again at once, a few times and no more, because the fault is
/// then the server's. Without one it waits for the machine to have a route to the outside.
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeoutInterval: TimeInterval?
    private let maxRetryCount: Int
    private let monitor: any NetworkMonitoring

    /// Makes a strategy.
    ///
    /// - Parameters:
    ///   - timeoutInterval: Seconds to wait for a network; nil waits for ever.
    ///   - maxRetryCount: The most retries of one load.
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
        networkMonitor: any NetworkMonitoring
    ) {
        self.timeoutInterval = timeoutInterval
        self.maxRetryCount = maxRetryCount
        monitor = networkMonitor
    }

    /// Retries response errors; cancels and others stop, as does a network that stays away.
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
            retryHandler(.retry(userInfo: nil))
            return
        }
        let observer = monitor.observeConnectivity(timeoutInterval: timeoutInterval) {
            isConnected in
            retryHandler(isConnected ? .retry(userInfo: context.userInfo) : .stop)
        }
        // So that a second question finds the wait and ends it.
        context.keep(userInfo: observer)
    }
}
