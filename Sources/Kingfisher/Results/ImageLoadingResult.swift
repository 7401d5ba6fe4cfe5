public import Foundation

/// An image loaded from the network or from a provider.
public struct ImageLoadingResult: Sendable {
    /// The processed image.
    public let image: KFCrossPlatformImage

    /// The URL of the request that was sent; nil for a provider.
    public let url: URL?

    /// The bytes, as returned by the downloader's delegate.
    public let originalData: Data

    /// Metrics of the download, if any.
    public let metrics: NetworkMetrics?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - image: The processed image.
    ///   - url: The URL of the request that was sent; nil for a provider.
    ///   - originalData: The bytes, as returned by the downloader's delegate.
    ///   - metrics: Metrics of the download, if any.
    public init(
        image: KFCrossPlatformImage,
        url: URL? = nil,
        originalData: Data,
        metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.url = url
        self.originalData = originalData
        self.metrics = metrics
    }
}
