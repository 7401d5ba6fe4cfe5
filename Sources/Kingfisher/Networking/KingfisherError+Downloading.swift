import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension KingfisherError {
    /// Converts an error of a download.
    init(downloading error: any Error, task: DownloadTask) {
        switch error {
        case let error as KingfisherError: self = error
        case is CancellationError: self = .cancelled(task)
        case let error as TransferError: self.init(error)
        default: self = .responseError(reason: .URLSessionError(error: URLError.wrapping(error)))
        }
    }

    /// Converts the error of a transfer; a `KingfisherError` given as the reason is used itself.
    init(_ error: TransferError) {
        if case .rejected(let reason as KingfisherError, _) = error {
            self = reason
        } else {
            self = .responseError(reason: .URLSessionError(error: URLError.wrapping(error)))
        }
    }

    /// The cancellation of one caller of a download.
    static func cancelled(_ task: DownloadTask) -> KingfisherError {
        guard let sessionTask = task.sessionTask else {
            return .requestError(reason: .asyncTaskContextCancelled)
        }
        return .requestError(
            reason: .taskCancelled(task: sessionTask, token: task.cancelToken ?? 0)
        )
    }
}
