public import Foundation

/// A retrieved image and its origin.
public struct RetrieveImageResult: Sendable {
    /// The parts that stay the same; a class, because each stage of a suspended load keeps results.
    private final class Origin: Sendable {
        let source: Source
        let originalSource: Source
        let data: @Sendable () -> Data?

        init(_ source: Source, _ originalSource: Source, _ data: @escaping @Sendable () -> Data?) {
            self.source = source
            self.originalSource = originalSource
            self.data = data
        }
    }

    /// In an object of their own, because they are written last and take more room than the rest.
    private final class Timings: Sendable {
        let value: LoadTimings

        init(_ value: LoadTimings) { self.value = value }
    }

    private let origin: Origin
    private var ownTimings: Timings?

    /// The final image, after the image modifier.
    public let image: KFCrossPlatformImage

    /// The cache layer that had the image; `.none` for a new load.
    public let cacheType: CacheType

    /// The freshness of the image under HTTP caching rules.
    ///
    /// Nil without ``KingfisherOptionsInfoItem/httpCaching``, and for images that do not come from
    /// a server.
    public internal(set) var freshness: HTTPFreshness?

    /// Metrics of the download; nil if nothing was downloaded.
    public internal(set) var metrics: NetworkMetrics?

    /// The head of the response that the image was downloaded with.
    ///
    /// Nil for images from a cache, except with ``KingfisherOptionsInfoItem/httpCaching``: the cache
    /// then keeps the fields `Age`, `Cache-Control`, `Content-Type`, `Date`, `ETag`, `Expires`,
    /// `Last-Modified` and `Vary`, updated by revalidations.
    public internal(set) var response: TransferResponse?

    /// The time spent in each stage.
    public internal(set) var timings: LoadTimings {
        get { ownTimings?.value ?? LoadTimings() }
        set { ownTimings = Timings(newValue) }
    }

    /// The source of the image; it may be an alternative source.
    public var source: Source { origin.source }

    /// The requested source.
    public var originalSource: Source { origin.originalSource }

    /// The downloaded bytes.
    ///
    /// For an image from a cache, each call encodes the image again.
    ///
    /// To get the file that the cache stores, or one in a given format, use
    /// ``KingfisherManager/retrieveData(with:options:as:)-(Source,_,_)``.
    public var data: @Sendable () -> Data? { origin.data }

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - image: The final image, after the image modifier.
    ///   - cacheType: The cache layer that had the image; `.none` for a new load.
    ///   - source: The source of the image.
    ///   - originalSource: The requested source.
    ///   - data: Returns the encoded bytes; called on demand.
    ///   - metrics: Metrics of the download, if any.
    public init(
        image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        data: @escaping @Sendable () -> Data?,
        metrics: NetworkMetrics? = nil
    ) {
        origin = Origin(source, originalSource, data)
        self.image = image
        self.cacheType = cacheType
        self.metrics = metrics
    }
}

/// A source that failed, with its error.
public struct PropagationError: Sendable {
    /// The source.
    public let source: Source

    /// Its error.
    public let error: KingfisherError

    /// Makes a record of a failure; tests use it in place of the manager.
    ///
    /// - Parameters:
    ///   - source: The source that failed.
    ///   - error: Its error.
    public init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }
}
