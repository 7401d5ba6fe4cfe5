public import Foundation

/// A picture that was retrieved, and how.
public struct RetrieveImageResult: Sendable {
    /// The final image, after the image modifier.
    public let image: KFCrossPlatformImage

    /// `.none` for a fresh load, otherwise the layer that had it.
    public let cacheType: CacheType

    /// The source that delivered; it may be an alternative.
    public let source: Source

    /// The source that the caller asked for.
    public let originalSource: Source

    /// The downloaded bytes, or for a cache hit the image serialised anew on each call.
    ///
    /// For the file that the cache keeps, or one of a format of your choice, see
    /// ``KingfisherManager/retrieveData(with:options:as:)-(Source,_,_)``.
    public let data: @Sendable () -> Data?

    /// What the network took; nil unless freshly downloaded.
    public let metrics: NetworkMetrics?

    /// How the picture stands to its server, by the rules of HTTP; nil without
    /// ``KingfisherOptionsInfoItem/httpCaching``, and for what no server gave.
    public internal(set) var freshness: HTTPFreshness?

    /// How long each stage took.
    public internal(set) var timings = LoadTimings()

    /// Makes a result.
    public init(
        image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        data: @escaping @Sendable () -> Data?,
        metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.data = data
        self.metrics = metrics
    }
}

/// A source that failed, with its error.
public struct PropagationError: Sendable {
    /// The source.
    public let source: Source

    /// Its error.
    public let error: KingfisherError

    /// Makes a record of a failure, as a stand-in for the manager does in tests.
    public init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }
}
