public import Foundation

/// A retrieved image and its origin.
public struct RetrieveImageResult: Sendable {
    /// The parts that stay the same; a class, so that a copy of a result counts one reference.
    private final class Origin: Sendable {
        let source: Source
        let originalSource: Source
        let key: String?
        let loadedData: Data?
        let data: @Sendable () -> Data?

        init(
            _ source: Source,
            _ originalSource: Source,
            _ key: String?,
            _ loadedData: Data?,
            _ data: @escaping @Sendable () -> Data?
        ) {
            self.source = source
            self.originalSource = originalSource
            self.key = key
            self.loadedData = loadedData
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

    /// Whether the image's file ended before all its pixels were there.
    ///
    /// See ``KingfisherOptionsInfoItem/acceptsTruncatedFiles``. False if an image modifier has
    /// replaced the image.
    public var isTruncated: Bool { image.kf.isTruncated }

    /// The source of the image; it may be an alternative source.
    public var source: Source { origin.source }

    /// The requested source.
    public var originalSource: Source { origin.originalSource }

    /// The downloaded bytes.
    ///
    /// For an image from a cache, and for a page or a frame of a video that was not stored as it is,
    /// each call encodes the image again.
    ///
    /// To get the file that the cache stores, or one in a given format, use
    /// ``KingfisherManager/retrieveData(with:options:as:)-(Source,_,_)``.
    public var data: @Sendable () -> Data? { origin.data }

    /// The key that the image is stored under: that of its source, or that of a variant of it.
    var key: String { origin.key ?? source.cacheKey }

    /// The bytes of the source from which the load made the image; nil if it had none.
    var loadedData: Data? { origin.loadedData }

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
        self.init(
            image: image,
            cacheType: cacheType,
            source: source,
            originalSource: originalSource,
            key: nil,
            loadedData: nil,
            data: data,
            metrics: metrics
        )
    }

    /// Makes the result of a load, with the bytes from which it made the image, if it had any.
    init(
        image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        key: String?,
        loadedData: Data?,
        data: @escaping @Sendable () -> Data?,
        metrics: NetworkMetrics?
    ) {
        origin = Origin(source, originalSource, key, loadedData, data)
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

/// The freshness of an image under HTTP caching rules; see
/// ``KingfisherOptionsInfoItem/httpCaching``.
public enum HTTPFreshness: Sendable, Hashable {
    /// Just downloaded, or within its lifetime.
    case fresh
    /// Past its lifetime but still usable: the response allows it during background revalidation or
    /// on errors, the request allows it, or the network must not be used.
    case stale
    /// Past its lifetime and confirmed by the server with status 304.
    case revalidated
}
