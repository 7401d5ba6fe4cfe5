public import Foundation

/// Retries when the network is there again.
///
/// With a network the load is tried again at once, a few times and no more, because the fault is
/// then the server's; a pause that the server asks for with `Retry-After` is kept. Without one it waits for the machine to have a route to the outside.
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeoutInterval: TimeInterval?
    private let maxRetryCount: Int
    private let monitor: any NetworkMonitoring
    private let schedule: RetryDelay.Schedule

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
        networkMonitor: any NetworkMonitoring,
        schedule: @escaping RetryDelay.Schedule = RetryDelay.onMainQueue
    ) {
        self.timeoutInterval = timeoutInterval
        self.maxRetryCount = maxRetryCount
        monitor = networkMonitor
        self.schedule = schedule
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
            retryConnected(context, retryHandler)
            return
        }
        let observer = monitor.observeConnectivity(timeoutInterval: timeoutInterval) {
            isConnected in
            retryHandler(isConnected ? .retry(userInfo: context.userInfo) : .stop)
        }
        // So that a second question finds the wait and ends it.
        context.keep(userInfo: observer)
    }

    /// Tries again at once, unless the server asked for a pause; one that is longer than the wait
    /// for a network would be is none that anybody waits for.
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
