import Foundation

extension KingfisherError {
    /// What a stage threw, in the words that callers know.
    ///
    /// - Parameters:
    ///   - error: From a stage of the pipeline.
    ///   - source: What was loaded.
    ///   - task: The handle of the attempt.
    init(loading error: any Error, of source: Source, task: DownloadTask) {
        if let error = error as? KingfisherError {
            self = error
            return
        }
        switch source {
        case .provider(let provider) where error is CancellationError:
            self = .requestError(reason: .dataProviderCancelled(provider: provider))
        case .provider(let provider):
            self = .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
        case .network where error is CancellationError:
            self = .cancelled(task)
        case .network:
            self = .responseError(reason: .URLSessionError(error: URLError.wrapping(error)))
        }
    }
}
