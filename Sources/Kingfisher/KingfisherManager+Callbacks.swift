import Foundation

extension KingfisherManager {
    /// Retrieves the image of a resource and passes the result to a closure.
    ///
    /// See
    /// ``retrieveImage(with:options:progressBlock:downloadTaskUpdated:completionHandler:)-(Source,_,_,_,_)``.
    @discardableResult
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: resource.convertToSource(),
            options: options,
            progressBlock: progressBlock,
            downloadTaskUpdated: downloadTaskUpdated,
            completionHandler: completionHandler
        )
    }

    /// Retrieves an image and passes the result to a closure.
    ///
    /// - Parameters:
    ///   - source: The source of the image.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - downloadTaskUpdated: Called with the new download task when a retry, an alternative
    ///     source or a fallback replaces the first one.
    ///   - completionHandler: Called exactly once, on the options' callback queue. For a memory hit
    ///     it is called on the main queue before this method returns.
    /// - Returns: The task to cancel the load with; nil if a cache has the image or there is
    ///   nothing to load.
    @discardableResult
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        let request = request(source, adding: options)
        let task = start(
            request,
            events: LoadEvents(
                progress: progressBlock.map { ProgressReporter($0) },
                taskUpdated: downloadTaskUpdated
            ),
            completion: { completionHandler?($0) }
        )
        return task.goesOn || request.options.asyncCacheTypeCheck ? task : nil
    }
}

extension KingfisherManager {
    /// Retrieves the image of a resource as an encoded file.
    ///
    /// See ``retrieveData(with:options:as:)-(Source,_,_)``.
    public func retrieveData(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try await retrieveData(with: resource.convertToSource(), options: options, as: encoding)
    }

    /// Retrieves an image as an encoded file, for programs that serve or forward files.
    ///
    /// Bytes in the disk cache are returned as they are, without decoding. Otherwise the image is
    /// loaded as by ``retrieveImage(with:options:progressBlock:)-(Source,_,_)``, encoded once, and
    /// stored on disk under the identifiers of the processor and the encoding. The processed image
    /// is then not also stored in the form that the cache's serializer would write. Image modifiers
    /// are not applied, since they do not affect stored bytes. With
    /// ``KingfisherOptionsInfoItem/httpCaching`` only the image's own entry is stored, and
    /// `encoding` is applied on every call.
    ///
    /// - Parameters:
    ///   - source: The source of the image.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///   - encoding: The format and its quality. Nil returns the file that the cache stores: the
    ///     download if it is not processed, otherwise the output of the cache's serializer. An
    ///     animation that is already in the requested format is not encoded again.
    /// - Returns: The file and its content type.
    /// - Throws: `CancellationError` if the task is cancelled before the call, or while the file is
    ///   encoded or stored, otherwise ``KingfisherError``; `cannotSerializeImage` if the format
    ///   cannot represent the image.
    public func retrieveData(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        let parsed = KingfisherParsedOptionsInfo(resolved(options))
        return try await retrieveData(with: source, parsedOptions: parsed, as: encoding)
    }

    /// See ``retrieveData(with:options:as:)-(Source,_,_)``; the manager's default options are not
    /// added.
    package func retrieveData(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try Task.checkCancellation()
        return try await FileLoad(parsedOptions, as: encoding) { request(source, $0) }
            .run { try await load($0) }
    }
}

extension RetrieveDataResult {
    static func cached(_ data: Data, of source: Source) -> RetrieveDataResult {
        RetrieveDataResult(data: data, cacheType: .disk, source: source, originalSource: source)
    }
}

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
    ///   ``KingfisherError``; `processingFailed` if the bytes are neither of a known format nor a
    ///   PDF document or a video.
    public func retrieveOriginalData(
        with source: Source,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> RetrieveDataResult {
        let parsed = KingfisherParsedOptionsInfo(resolved(options))
        return try await retrieveOriginalData(with: source, parsedOptions: parsed)
    }

    /// See ``retrieveOriginalData(with:options:)-(Source,_)``; the manager's default options are not
    /// added.
    package func retrieveOriginalData(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo
    ) async throws -> RetrieveDataResult {
        try Task.checkCancellation()
        let request = originalRequest(source, parsedOptions)
        return try original(of: await load(request), key: source.cacheKey)
    }

    // Not inlined, because their values would take room in each suspended load.

    @inline(never)
    private func originalRequest(
        _ source: Source,
        _ options: KingfisherParsedOptionsInfo
    ) -> LoadRequest {
        var parsed = options
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
        return request(source, parsed)
    }

    @inline(never)
    private func original(
        of result: RetrieveImageResult,
        key: String
    ) throws -> RetrieveDataResult {
        guard let data = result.image.kf.gifRepresentation() ?? result.data() else {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: key))
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
