package import Foundation

/// One caller's participation in a download.
///
/// A download runs while tokens exist. After the end, its bytes are available to later callers
/// while tokens of callers that keep the bytes exist.
package final class DownloadToken: Sendable {
    /// The download; other callers may share it.
    package let download: SharedDownload
    /// The caller's number within the download; the first has 1.
    package let number: Int
    /// Whether this caller created the download and must call ``SharedDownload/start()``.
    package let isCreator: Bool
    private let leavesAtEnd: Bool

    init(_ download: SharedDownload, number: Int, isCreator: Bool, keepsBytes: Bool) {
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
    /// The body, decoded (gzip, deflate, br).
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
