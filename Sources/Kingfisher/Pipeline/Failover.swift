import Foundation

/// Chooses the step after a failed attempt: a retry, another source, or the error.
struct Failover: Sendable {
    private let request: LoadRequest
    private var alternatives: ArraySlice<Source>
    private var lowDataSource: Source?
    private var failures: [PropagationError] = []
    private var context: RetryContext?

    init(_ request: LoadRequest) {
        self.request = request
        alternatives = (request.options.alternativeSources ?? [])[...]
        lowDataSource = request.options.lowDataModeSource
    }

    /// The next attempt; nil if the error is final.
    ///
    /// A cancelled load, or one that is no longer needed, is neither retried nor continued with an
    /// alternative.
    @inline(never)
    mutating func next(
        after error: KingfisherError,
        of attempt: LoadRequest
    ) async -> LoadRequest? {
        guard !error.isCancellation, !attempt.isStale else { return nil }
        if await isRetried(error) { return request }
        guard !Task.isCancelled else { return nil }
        if error.isConstrainedNetwork, let source = lowDataSource {
            lowDataSource = nil
            return request.with(source: source, onAnyNetwork: true)
        }
        failures.append(PropagationError(source: attempt.source, error: error))
        // If the low-data source was used, the alternatives may use the metered network too.
        let onAnyNetwork = lowDataSource == nil
        return alternatives.popFirst().map {
            request.with(source: $0, onAnyNetwork: onAnyNetwork)
        }
    }

    /// The error to deliver: the last one, or the list of all errors if there were alternatives.
    func conclusion(_ error: KingfisherError) -> KingfisherError {
        let hadAlternatives = !(request.options.alternativeSources ?? []).isEmpty
        guard hadAlternatives, !error.isCancellation, !failures.isEmpty, !request.isStale else {
            return error
        }
        return .imageSettingError(reason: .alternativeSourcesExhausted(failures))
    }

    private mutating func isRetried(_ error: KingfisherError) async -> Bool {
        guard let strategy = request.options.retryStrategy else { return false }
        let context = context ?? RetryContext(source: request.source, error: error)
        self.context = context
        context.fail(with: error)
        let decision = await Self.ask(strategy, context)
        guard case .retry(let userInfo) = decision, !Task.isCancelled else { return false }
        context.advance(userInfo: userInfo)
        return true
    }

    /// Waits for the strategy's decision; cancellation ends the wait immediately.
    private static func ask(
        _ strategy: any RetryStrategy,
        _ context: RetryContext
    ) async -> RetryDecision {
        let answer = SharedJobs<Int, RetryDecision>()
        let decision = try? await answer.value(for: 0) {
            await withCheckedContinuation { continuation in
                let once = OnceCompletion<RetryDecision> { continuation.resume(returning: $0) }
                strategy.retry(context: context) { once($0) }
            }
        }
        // The job only throws if this load is cancelled, and then there is no retry.
        return decision ?? .stop
    }
}

extension KingfisherError {
    /// Whether the transfer was refused because the network is metered.
    fileprivate var isConstrainedNetwork: Bool {
        guard case .responseError(reason: .URLSessionError(let error)) = self else { return false }
        // Transports wrap the reason in their own error.
        if case .rejected(let reason, _)? = transferError {
            return reason is ConstrainedNetworkError
        }
        return error is ConstrainedNetworkError
    }
}
