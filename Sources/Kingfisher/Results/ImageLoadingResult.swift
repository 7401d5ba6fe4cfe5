public import Foundation

/// An image that was loaded from the network or a provider.
public struct ImageLoadingResult: Sendable {
    /// The processed image.
    public let image: KFCrossPlatformImage

    /// The URL that was really requested, nil for a provider.
    public let url: URL?

    /// The bytes, after the delegate's hook.
    public let originalData: Data

    /// What the network took.
    public let metrics: NetworkMetrics?

    /// Makes a result.
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
