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
    /// How this caller uses the bytes, for ``SharedDownload/wishes``.
    package var wish: (any Sendable)?
    /// Called after each piece of the body.
    package var progress: (@Sendable (TransferProgress) -> Void)?
    /// Called with the result.
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
