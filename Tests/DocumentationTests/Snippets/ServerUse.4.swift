// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The HTTP status for a failed load.
func status(for error: any Error) -> Int {
    guard let error = error as? KingfisherError else {
        return error is CancellationError ? 499 : 504
    }
    switch error {
    // The client is gone, so the status is only seen in the log.
    case _ where error.isTaskCancelled: return 499
    case .responseError(.invalidHTTPStatusCode(let response)):
        return [404, 410].contains(response.statusCode) ? 404 : 502
    case .responseError(.URLSessionError(let cause)):
        if case .addressRefused = error.transferError { return 403 }
        switch (cause as? URLError)?.code {
        case .timedOut: return 504
        case .dataLengthExceedsMaximum: return 422
        default: return 502
        }
    // Not an image, damaged, or larger than the limits; a file that has ended its worker process.
    case .processorError: return 422
    // The address or the kind of the source is not allowed.
    case .requestError: return 403
    default: return 500
    }
}
