import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// One caller's participation in a download.
///
/// A download runs while tokens exist. After the end, its bytes are available to later callers
/// while tokens of callers that keep the bytes exist.
package final class DownloadToken<Attachment: AnyObject & Sendable>: Sendable {
    /// The download; other callers may share it.
    package let download: SharedDownload<Attachment>
    /// The caller's number within the download; the first has 1.
    package let number: Int
    /// Whether this caller created the download and must call ``SharedDownload/start()``.
    package let isCreator: Bool
    private let leavesAtEnd: Bool

    init(
        _ download: SharedDownload<Attachment>,
        number: Int,
        isCreator: Bool,
        keepsBytes: Bool
    ) {
        self.download = download
        self.number = number
        self.isCreator = isCreator
        leavesAtEnd = !keepsBytes
    }

    // Bytes are not kept for a released token.
    deinit { if !leavesAtEnd { leave() } }

    /// Removes this caller from the download; later calls have no effect.
    ///
    /// Before the end the caller receives ``TransferError/cancelled``, and the transfer stops with
    /// the last caller. After the end the last caller releases the bytes.
    package func leave() { download.leave(number) }

    /// Changes this caller's priority, 0 … 1.
    package func setPriority(_ priority: Float) { download.prioritise(number, priority) }
}

/// A complete body with the head of its response.
///
/// A class, because each waiting load reserves the room for a result in several places.
package final class DownloadedBody: Sendable {
    /// The body; its content coding is decoded.
    package let data: Data
    /// The head of the response, after redirects.
    package let response: TransferResponse
    /// The metrics of the transfer.
    package let metrics: TransferMetrics

    package init(data: Data, response: TransferResponse, metrics: TransferMetrics) {
        self.data = data
        self.response = response
        self.metrics = metrics
    }

    /// The same response with other bytes.
    func with(_ data: Data) -> DownloadedBody {
        DownloadedBody(data: data, response: response, metrics: metrics)
    }
}

/// One caller of a shared download.
///
/// The closures of all callers of a download run one after another, in order of joining, on the
/// thread of the event, so move expensive work elsewhere. `finished` is called exactly once and
/// last.
package struct DownloadCaller: Sendable {
    /// 0 (last) … 1 (first); the download has the highest priority of its callers.
    package var priority: Float
    /// Whether the bytes stay available to later callers until this caller leaves.
    ///
    /// Otherwise it leaves when the download ends.
    package var keepsBytes = false
    /// Called after each piece of the body.
    package var progress: (@Sendable (TransferProgress) -> Void)?
    /// Called with the result.
    package var finished: @Sendable (Result<DownloadedBody, TransferError>) -> Void

    /// Creates a caller.
    package init(
        priority: Float = 0.5,
        keepsBytes: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        finished: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
    ) {
        self.priority = priority
        self.keepsBytes = keepsBytes
        self.progress = progress
        self.finished = finished
    }
}

/// Decisions about a download as a whole; those of its creator apply to all callers.
///
/// Each `reply` may be called immediately or later, on any thread; the transfer waits.
package struct DownloadHooks<Attachment: AnyObject & Sendable>: Sendable {
    package typealias Download = SharedDownload<Attachment>

    /// Chooses the request for a redirect; `nil` makes the redirect the final response.
    package var redirect:
        (
            @Sendable (
                Download, TransferResponse, URLRequest,
                _ reply: @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    /// Provides a user name and password for a challenge.
    package var challenge:
        (
            @Sendable (
                Download, TransferChallenge,
                _ reply: @escaping @Sendable (TransferCredential?) -> Void
            ) -> Void
        )?
    /// Decides about the certificates of a server.
    package var trust:
        (
            @Sendable (
                Download, ServerTrust,
                _ reply: @escaping @Sendable (ServerTrustDecision) -> Void
            ) -> Void
        )?
    /// Checks the head of the response.
    package var response:
        (
            @Sendable (
                Download, TransferResponse,
                _ reply: @escaping @Sendable (TransferDisposition) -> Void
            ) -> Void
        )?
    /// Called once with the result after ``SharedDownload/start()``; replies, immediately or later,
    /// with the result for the callers.
    package var finished:
        (
            @Sendable (
                Download, Result<DownloadedBody, TransferError>,
                _ reply: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
            ) -> Void
        )?
    /// Called when the last caller that keeps the bytes has left, or at the end if no caller keeps
    /// them.
    package var abandoned: (@Sendable (Download) -> Void)?

    /// Creates hooks that follow redirects and accept every response.
    package init() {}
}
