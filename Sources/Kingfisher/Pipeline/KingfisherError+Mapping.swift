import Foundation

extension KingfisherError {
    /// Converts the error of a stage.
    ///
    /// - Parameters:
    ///   - error: The error of a pipeline stage.
    ///   - source: The source of the attempt.
    ///   - task: The task of the attempt.
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
