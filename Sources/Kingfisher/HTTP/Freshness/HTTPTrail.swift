import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The responses of a download, even if it failed.
final class HTTPTrail: Sendable {
    struct Steps: Sendable {
        /// The first request.
        let request: URLRequest
        let redirects: [TransferResponse]
        /// The last response; nil if there was none.
        let response: TransferResponse?
    }

    private let state = Mutex<Steps?>(nil)

    /// Nil until the download has ended.
    var steps: Steps? { state.withLock { $0 } }

    func note(_ download: SharedDownload) {
        let steps = Steps(
            request: download.request,
            redirects: download.redirects,
            response: download.response
        )
        state.withLock { $0 = steps }
    }
}
