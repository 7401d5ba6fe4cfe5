/// One of those who wait for a download.
///
/// The closures of all callers of a download run one after the other, in order of joining, on the
/// thread where the event arose: hand work on. After `finished`, which is called exactly once,
/// nothing is called.
package struct DownloadCaller: Sendable {
    /// 0 (last) … 1 (first); the download has the highest of its callers'.
    package var priority: Float
    /// Whether the bytes stay for those who join late until this caller leaves; otherwise it leaves
    /// with the end.
    package var keepsBytes = false
    /// What this caller will make of the bytes, for ``SharedDownload/wishes``.
    package var wish: (any Sendable)?
    /// Told after each piece of the body.
    package var progress: (@Sendable (TransferProgress) -> Void)?
    /// Told the end.
    package var finished: @Sendable (Result<DownloadedBody, TransferError>) -> Void

    /// Creates a caller.
    package init(
        priority: Float = 0.5,
        keepsBytes: Bool = false,
        wish: (any Sendable)? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        finished: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
    ) {
        self.priority = priority
        self.keepsBytes = keepsBytes
        self.wish = wish
        self.progress = progress
        self.finished = finished
    }
}
