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

    /// The next attempt, or the error to deliver: the last one, or the list of all errors if there
    /// were alternatives.
    ///
    /// A cancelled load, or one that is no longer needed, is neither retried nor continued with an
    /// alternative. A cancellation while the retry strategy waits is delivered as a cancellation.
    @inline(never)
    mutating func next(
        after error: KingfisherError,
        of attempt: LoadRequest,
        by task: DownloadTask
    ) async -> Result<LoadRequest, KingfisherError> {
        guard !error.isCancellation, !attempt.isSuperseded else { return .failure(error) }
        let isRetried = await isRetried(error)
        guard !Task.isCancelled else {
            let error = CancellationError()
            return .failure(KingfisherError(loading: error, of: attempt.source, task: task))
        }
        // The caller may have asked for another image while the strategy waited.
        guard !attempt.isSuperseded else { return .failure(error) }
        if isRetried { return .success(request) }
        if error.isConstrainedNetwork, let source = lowDataSource {
            lowDataSource = nil
            return .success(request.with(source: source, onAnyNetwork: true))
        }
        failures.append(PropagationError(source: attempt.source, error: error))
        guard let source = alternatives.popFirst() else { return .failure(conclusion(error)) }
        // If the low-data source was used, the alternatives may use the metered network too.
        return .success(request.with(source: source, onAnyNetwork: lowDataSource == nil))
    }

    private func conclusion(_ error: KingfisherError) -> KingfisherError {
        let hadAlternatives = !(request.options.alternativeSources ?? []).isEmpty
        guard hadAlternatives, !request.isSuperseded else { return error }
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
        let decision = try? await Job<RetryDecision>.run { _ in
            await withCheckedContinuation { continuation in
                let once = OnceCompletion<RetryDecision>(ifReleased: { .stop }) {
                    continuation.resume(returning: $0)
                }
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
