import Foundation

extension KingfisherManager {
    /// Retrieves the unmodified bytes of a source without decoding them.
    ///
    /// For programs that decide how to process a file by its header. The load uses the caches like
    /// any other: bytes on disk are returned from there, with
    /// ``KingfisherOptionsInfoItem/httpCaching`` after checking their freshness, and a download is
    /// shared with other loads of the URL and stored on disk as an original, from which loads with
    /// a processor make their images. The bytes are kept in memory too if the options contain a
    /// ``KingfisherOptionsInfoItem/memoryCacheExpiration(_:)``, and only there with
    /// ``KingfisherOptionsInfoItem/cacheMemoryOnly``. Removing an image with the key of the source
    /// removes them.
    ///
    /// If responses differ by request fields (`Vary`), only the latest is kept on disk: a request
    /// with other fields loads its own. Sources with a key for each value are all kept.
    ///
    /// A file is only checked to begin like an image of a known format. With a subclassed cache or
    /// a custom serializer the bytes are loaded from the source each time.
    ///
    /// If the calling task is cancelled, the download ends unless other callers wait for it.
    ///
    /// - Parameters:
    ///   - source: The source of the bytes.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///     Processors, serializers and image modifiers are not used.
    /// - Returns: The bytes, and the head of the response they came with. Bytes from a cache have
    ///   it only with ``KingfisherOptionsInfoItem/httpCaching``; `Age` is then their current age.
    /// - Throws: `CancellationError` if the task was cancelled before the call, otherwise
    ///   ``KingfisherError``; `processingFailed` if the bytes are not of a known format.
    public func retrieveOriginalData(
        with source: Source,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> RetrieveDataResult {
        try Task.checkCancellation()
        var parsed = KingfisherParsedOptionsInfo(resolved(options))
        parsed.processor = OriginalBytesProcessor()
        parsed.imageModifier = nil
        // An asynchronous caller has no thread to read on.
        parsed.loadDiskFileSynchronously = false
        if parsed.cacheMemoryOnly {
            parsed.cacheOriginalImage = false
        } else {
            parsed.cacheOriginalImage = true
            parsed.cacheMemoryOnly = true
            parsed.memoryCacheExpiration = parsed.memoryCacheExpiration ?? .expired
        }
        let result = try await load(request(source, parsed))
        guard let data = result.image.kf.gifRepresentation() ?? result.data() else {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: source.cacheKey))
        }
        var original = RetrieveDataResult(
            data: data,
            cacheType: result.isFromStoredOriginal ? .disk : result.cacheType,
            source: result.source,
            originalSource: result.originalSource,
            metrics: result.metrics
        )
        original.response = result.response
        return original
    }
}

extension RetrieveImageResult {
    /// Whether the bytes of an original come from the disk.
    ///
    /// Its load has the cache type `none`, because the image is made of the original. A provider's
    /// bytes count as loaded.
    fileprivate var isFromStoredOriginal: Bool {
        guard case .network = source, cacheType == .none else { return false }
        return metrics == nil || freshness == .revalidated
    }
}
