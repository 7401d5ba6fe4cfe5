public import Foundation

/// An image that was retrieved as the bytes of a file, and how.
public struct RetrieveDataResult: Sendable {
    /// The file.
    public let data: Data

    /// The format of the file, told by its bytes.
    public let format: ImageFormat

    /// `.none` for a fresh load, otherwise the layer that had the bytes or the image.
    public let cacheType: CacheType

    /// The source that delivered; it may be an alternative.
    public let source: Source

    /// The source that the caller asked for.
    public let originalSource: Source

    /// What the network took; nil unless freshly downloaded.
    public let metrics: NetworkMetrics?

    /// What a server writes into the field `Content-Type`, such as `image/webp`.
    public var contentType: String { format.contentType }

    /// Makes a result, as a stand-in for the manager does in tests.
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
