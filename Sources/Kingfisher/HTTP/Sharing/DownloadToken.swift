package import Foundation

/// One caller's part in a download, and all the counting there is.
///
/// Before the end, a download runs as long as anybody has a token of it. After the end its bytes
/// are there for those who join late as long as anybody who keeps them has one.
package final class DownloadToken: Sendable {
    /// The download, shared with others perhaps.
    package let download: SharedDownload
    /// The caller's number within the download; the first is 1.
    package let number: Int
    /// Whether this caller made the download and is to call ``SharedDownload/start()``.
    package let isCreator: Bool
    private let leavesAtEnd: Bool

    init(_ download: SharedDownload, number: Int, isCreator: Bool, keepsBytes: Bool) {
        self.download = download
        self.number = number
        self.isCreator = isCreator
        leavesAtEnd = !keepsBytes
    }

    // Bytes are not kept for a caller that is gone.
    deinit { if !leavesAtEnd { leave() } }

    /// Withdraws this caller; the second time nothing happens.
    ///
    /// Before the end it gets ``TransferError/cancelled``, and with the last caller the transfer
    /// stops. After the end the bytes go with the last one.
    package func leave() { download.leave(number) }

    /// Changes what this caller contributes to the download's priority, 0 … 1.
    package func setPriority(_ priority: Float) { download.prioritise(number, priority) }
}

/// A whole body with the head that announced it.
package struct DownloadedBody: Sendable {
    /// The body, decoded (gzip, deflate, br).
    package let data: Data
    /// The head of the answer that carried it, after redirects.
    package let response: TransferResponse
    /// What the transfer cost.
    package let metrics: TransferMetrics

    /// The same with other bytes.
    func with(_ data: Data) -> DownloadedBody {
        DownloadedBody(data: data, response: response, metrics: metrics)
    }
}
