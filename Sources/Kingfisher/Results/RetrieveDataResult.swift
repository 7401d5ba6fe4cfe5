public import Foundation

/// An image retrieved as an encoded file.
public struct RetrieveDataResult: Sendable {
    /// The file.
    public let data: Data

    /// The format of the file, detected from its bytes.
    public let format: ImageFormat

    /// The cache layer that had the bytes or the image; `.none` for a new load.
    public let cacheType: CacheType

    /// The source of the bytes; it may be an alternative source.
    public let source: Source

    /// The requested source.
    public let originalSource: Source

    /// Metrics of the download; nil if nothing was downloaded.
    public let metrics: NetworkMetrics?

    /// The head of the response that the source was downloaded with; see
    /// ``RetrieveImageResult/response``.
    public internal(set) var response: TransferResponse?

    /// The value for the `Content-Type` field of a response, such as `image/webp`.
    public var contentType: String { format.contentType }

    /// Makes a result; tests use it in place of the manager.
    ///
    /// ``format`` is detected from the bytes.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - cacheType: The cache layer that had the bytes or the image; `.none` for a new load.
    ///   - source: The source of the bytes.
    ///   - originalSource: The requested source.
    ///   - metrics: Metrics of the download, if any.
    public init(
        data: Data,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        metrics: NetworkMetrics? = nil
    ) {
        self.data = data
        format = data.kf.imageFormat
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.metrics = metrics
    }
}
