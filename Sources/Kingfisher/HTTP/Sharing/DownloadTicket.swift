/// One caller's share of a download.
package final class DownloadTicket: Sendable {
    /// The download, shared with others perhaps.
    package let download: SharedDownload
    /// The caller's number within the download; the first is 1.
    package let token: Int
    /// Whether this caller made the download and is to call ``SharedDownload/start()``.
    package let isCreator: Bool

    init(_ download: SharedDownload, token: Int, isCreator: Bool) {
        self.download = download
        self.token = token
        self.isCreator = isCreator
    }

    /// Withdraws this caller, who is told ``TransferError/cancelled``; the last one stops the
    /// transfer.
    ///
    /// Nothing happens after the end, or the second time.
    package func cancel() { download.leave(token) }

    /// Changes what this caller contributes to the download's priority, 0 … 1.
    package func setPriority(_ priority: Float) { download.prioritise(token, priority) }
}
