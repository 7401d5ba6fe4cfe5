import Foundation
import KFPixels

/// What a place or a source has for a load, from which its image is made.
enum Material: Sendable {
    /// An image in memory, or one that the cache read and decoded itself; `isOriginal` if it is the
    /// original, of which the image is made.
    case cached(KFCrossPlatformImage, CacheType, isOriginal: Bool)
    /// An entry on disk, whose bytes the load decodes.
    case entry(StoredEntry)
    /// The bytes of a source.
    case fetched(FetchedData)
    /// The pixels of a provider, the request to process them, and their file if the disk keeps one.
    case drawn(Bitmap, DecodeRequest, Data?)
    /// The processed image of a subclassed downloader.
    case downloaded(ImageLoadingResult)

    /// Whether it is an original from a cache; the image is stored, too.
    var isOriginal: Bool {
        switch self {
        case .cached(_, _, let isOriginal): isOriginal
        case .entry(let entry): entry.isOriginal
        case .fetched, .drawn, .downloaded: false
        }
    }

    /// Makes the image of a load.
    ///
    /// - Throws: ``EncodedImage/Missing`` if the entry is gone or damaged; ``KingfisherError``;
    ///   `CancellationError`.
    func image(for request: LoadRequest) async throws -> LoadedImage {
        switch self {
        case .cached(let image, _, isOriginal: true):
            return LoadedImage(image: try await request.processed(image), isMadeOfOriginal: true)
        case .cached(let image, let type, isOriginal: false):
            return LoadedImage(image: try await request.adapted(image), cacheType: type)
        case .entry(let entry):
            return try await entry.image()
        case .fetched(let fetched):
            let image = try await fetched.image(by: request.processing)
            request.downloader.notifyDelegate(of: image, from: fetched)
            var loaded = LoadedImage(image: image, data: fetched.data, metrics: fetched.metrics)
            loaded.response = fetched.response
            loaded.token = fetched.token
            return loaded
        case .drawn(let bitmap, let decoding, let file):
            let image = try await request.processing.image(of: bitmap, decoding)
            return LoadedImage(image: image, data: file)
        case .downloaded(let result):
            var loaded = LoadedImage(image: result.image, data: result.originalData)
            loaded.isDecodedFromData = false
            loaded.metrics = result.metrics
            return loaded
        }
    }
}

/// An image on its way to the caller, with what the stages know of it.
struct LoadedImage: Sendable {
    /// The image before the image modifier.
    var image: KFCrossPlatformImage
    /// The cache layer that had the image; `.none` for a new one.
    var cacheType = CacheType.none
    /// The key that it is stored under, which variants have of their own; nil for the source's.
    var key: String?
    /// The metadata of the entry that it was found in, or of the original that it was made from.
    var metadata: EntryMetadata?
    /// Whether it was made from an original in a cache.
    var isMadeOfOriginal = false
    /// The bytes of the source that it was made from; nil if it was found or made from an original.
    var data: Data?
    /// Whether the image is certainly that of `data`; a subclass of the downloader returns any pair.
    var isDecodedFromData = true
    var metrics: NetworkMetrics?
    /// The head of the response with the bytes.
    var response: TransferResponse?
    var freshness: HTTPFreshness?
    /// The load's token of the download; later loads can join until it is released.
    var token: DownloadToken<SessionDataTask>?

    /// The same image with its freshness.
    func with(_ freshness: HTTPFreshness, metrics: NetworkMetrics? = nil) -> LoadedImage {
        var loaded = self
        loaded.metrics = metrics ?? self.metrics
        loaded.freshness = freshness
        return loaded
    }
}

extension RetrieveImageResult {
    /// The result for the caller of a load; runs the image modifier.
    ///
    /// Without downloaded bytes, the data are those that would be stored.
    init(_ loaded: LoadedImage, of request: LoadRequest) {
        let image = request.options.imageModifier?.modify(loaded.image) ?? loaded.image
        let (data, serializer) = (loaded.data, request.options.cacheSerializer)
        self.init(
            image: image,
            cacheType: loaded.cacheType,
            source: request.source,
            originalSource: request.originalSource,
            key: loaded.key,
            loadedData: data,
            data: { data ?? serializer.data(with: image, original: nil) },
            metrics: loaded.metrics
        )
        freshness = loaded.freshness
        response = loaded.response
    }
}

extension LoadRequest {
    /// Runs the processor on an image.
    func processed(_ image: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        try await processing.image(of: .image(image), options: options)
    }

    /// Whether a cached image is the one that the load wants.
    ///
    /// It must be processed if the cache stores unprocessed images, or if it was made with other
    /// creating options.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - tag: The tag of the image in memory, if it was just found there.
    /// - Returns: Whether it can be delivered.
    func isFinal(_ image: KFCrossPlatformImage, tag: UInt8? = nil) -> Bool {
        let isUnprocessed =
            tag.map { storesRawBytes && $0 != ImageCache.Tag.processed } ?? isUnprocessedInCache
        return !isUnprocessed && !isOtherAnimation(image)
    }

    /// Adapts a cached image: runs the processor if it has not run, and makes an animation again
    /// from its bytes if it was made with other creating options.
    fileprivate func adapted(_ cached: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        let image = isUnprocessedInCache ? try await processed(cached) : cached
        guard isOtherAnimation(image), let file = image.animationFile else { return image }
        var remaking = options
        if file.isUntrusted { remaking.isolated = true }
        // Its bytes are the result of the processor, which must not run twice.
        if case .frames = Traits(of: options.processor).kind {
            remaking.processor = DefaultImageProcessor.default
        }
        // A hit must not fail: an image that cannot be made again is replaced by an empty one.
        return (try? await processing.image(of: .data(file.data), options: remaking))
            ?? KFCrossPlatformImage()
    }

    /// Whether the cache has the image in memory as it was before the processor.
    private var isUnprocessedInCache: Bool {
        storesRawBytes && !targetCache.holdsProcessedImage(entry)
    }

    /// Whether it is an animation with its bytes that was made with other creating options.
    private func isOtherAnimation(_ image: KFCrossPlatformImage) -> Bool {
        guard let count = image.kf.imageFrameCount, count != 1,
            image.kf.gifRepresentation() != nil
        else { return false }
        return image.kf.creatingOptions != options.imageCreatingOptions
    }
}
