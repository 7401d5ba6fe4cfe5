import Foundation
import Kingfisher

/// The statuses of failures to make an image of bytes.
///
/// | failure | status |
/// |---|---|
/// | not an image, damaged, above a limit, an option that cannot be done | 422 |
/// | a file that makes its worker process fail | 422 |
/// | the caller's task was cancelled | 499 |
/// | the result cannot be encoded | 500 |
/// | no worker process is available | 503 |
/// | decoding takes longer than a worker may | 504 |
extension ServiceError {
    /// Maps an error of the library.
    init(rendering error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let failure as ImageFileInfo.Failure:
            self.init(
                422,
                "The source is not an image",
                "Name another one",
                detail: failure.localizedDescription
            )
        case let failure as IsolationFailure: self.init(failure)
        case let error as DocumentError: self.init(error)
        case is CancellationError:
            self.init(499, "The request was cancelled", "Wait for the answer")
        case let error as KingfisherError where error.isCancellation:
            self.init(499, "The request was cancelled", "Wait for the answer")
        case KingfisherError.processorError(let reason): self.init(reason)
        case KingfisherError.cacheError(reason: .cannotSerializeImage):
            self.init(500, "The result cannot be encoded", "Name another format")
        default:
            let text = (error as? KingfisherError)?.localizedDescription ?? "\(error)"
            self.init(
                500,
                "The image cannot be processed",
                "Look into the service's log",
                detail: text
            )
        }
    }

    private init(_ reason: KingfisherError.ProcessorErrorReason) {
        let error = KingfisherError.processorError(reason: reason)
        let detail = error.localizedDescription
        switch error.processingError {
        case nil:
            self.init(
                422,
                "The source is not an image, or is damaged",
                "Name another one",
                detail: detail
            )
        case .resultTooLarge:
            self.init(422, "The result is too large", "Ask for a smaller one", detail: detail)
        case .isolationFailed(let failure): self.init(failure)
        }
    }

    /// Maps a failure of a worker process.
    init(_ failure: IsolationFailure) {
        let detail = failure.description
        switch failure {
        case .timedOut:
            self.init(
                504,
                "Decoding the source takes too long",
                "Name a smaller one",
                detail: detail
            )
        case .unavailable:
            self.init(
                503,
                "No process is available for decoding",
                "Try again later",
                detail: detail
            )
        case .crashed, .forbiddenSystemCall, .ended, .invalidAnswer:
            self.init(422, "The source cannot be decoded", "Name another one", detail: detail)
        }
    }
}
