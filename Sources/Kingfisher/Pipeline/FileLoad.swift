import Foundation

/// Loads an image as an encoded file: the bytes on disk, or otherwise encoded once and stored there.
struct FileLoad {
    /// The load that provides the image if there are no bytes.
    ///
    /// The encoded file replaces the image on disk. Downloads are stored by the load nevertheless,
    /// because other encodings may be made from them.
    private let request: LoadRequest
    /// Nil for the encoding by the cache's serializer.
    private let encoding: ImageEncoding?
    /// Whether nothing is stored on disk.
    private let isMemoryOnly: Bool

    /// Makes the load.
    ///
    /// - Parameters:
    ///   - options: The options of the call.
    ///   - encoding: Nil for the file that the cache stores.
    ///   - request: Makes the request of a load with the given options.
    init(
        _ options: KingfisherParsedOptionsInfo,
        as encoding: ImageEncoding?,
        _ request: (KingfisherParsedOptionsInfo) -> LoadRequest
    ) {
        self.encoding = encoding
        isMemoryOnly = options.cacheMemoryOnly
        var options = options
        options.imageModifier = nil
        let isProcessed = !options.processor.identifier.isEmpty
        // With HTTP caching the load decides what may be stored, and keeps the record with it.
        if !options.httpCaching, encoding == nil ? options.isEncodedByCache : isProcessed {
            options.cacheMemoryOnly = true
        }
        self.request = request(options)
    }

    /// Returns the file.
    ///
    /// - Parameter load: Loads the image.
    /// - Returns: The file.
    /// - Throws: ``KingfisherError``; `CancellationError`.
    func run(
        _ load: (LoadRequest) async throws -> RetrieveImageResult
    ) async throws -> RetrieveDataResult {
        let isChecked = request.options.httpCaching
        let mark = request.targetCache.removals.mark(entry(request.key, as: identifier).computedKey)
        var lease: SharedLease?
        // HTTP caching has to check the freshness of the stored entry first, so it always loads; so
        // does a source that is refused.
        if !isChecked, request.allowsSource {
            if let data = await stored(request.key) { return .cached(data, of: request.source) }
            switch try await claim() {
            case .granted(let granted): lease = granted
            case .made:
                if let data = await stored(request.key) { return .cached(data, of: request.source) }
            case .none: break
            }
        }
        let result = try await load(request)
        let data: Data
        if isChecked, result.cacheType != .none, let kept = await stored(result.key) {
            data = kept
        } else {
            data = try await bytes(of: result, lease, mark)
        }
        return RetrieveDataResult(
            data: data,
            cacheType: result.cacheType,
            source: result.source,
            originalSource: result.originalSource,
            metrics: result.metrics
        )
    }

    /// The stored bytes, if they have the requested encoding.
    private func stored(_ key: String) async -> Data? {
        guard request.looksUp, request.acceptsDisk else { return nil }
        // A lossless file from the cache's serializer can be used too.
        if encoding.map({ $0.isLossless && keepsEncoding }) ?? true, !request.storesRawBytes,
            !request.targetCache.isSubclassed,
            let data = await stored(key, as: request.identifier)
        {
            return data
        }
        return keepsEncoding ? await stored(key, as: identifier) : nil
    }

    private func stored(_ key: String, as identifier: String) async -> Data? {
        // To a cancelled caller the load reports its error.
        let found = try? await request.targetCache.find(
            entry(key, as: identifier),
            extending: request.options.diskCacheAccessExtendingExpiration,
            priority: request.options.priority
        )
        guard let data = found else { return nil }
        let format = data.kf.imageFormat
        return format != .unknown && format == encoding?.format ?? format ? data : nil
    }

    /// Claims the right to encode the image; there is none if the file is not stored, or is stored
    /// by the load.
    private func claim() async throws -> SharedLeases.Claim {
        let isStored = keepsEncoding || request.options.cacheMemoryOnly
        guard request.looksUp, request.acceptsDisk, !isMemoryOnly, isStored else { return .none }
        return try await request.targetCache.claim(entry(request.key, as: identifier))
    }

    private func entry(_ key: String, as identifier: String) -> CacheEntryName {
        CacheEntryName(
            key: key,
            identifier: identifier,
            forced: request.options.forcedExtension
        )
    }

    /// The encoded bytes of a loaded image; the lease is retained until they are stored.
    private func bytes(
        of result: RetrieveImageResult,
        _ lease: SharedLease?,
        _ mark: RemovalMark
    ) async throws -> Data {
        let isFresh = result.cacheType == .none
        if isFresh, !result.isTruncated, takesOriginals, let original = result.loadedData,
            encoding.map({ original.kf.imageFormat == $0.format }) ?? true
        {
            return original
        }
        let lane = Lane(
            in: ImageMaker.pool,
            priority: request.options.priority,
            for: request.processing
        )
        // In a task, which encoders ask whether it was cancelled.
        let data = try await Job.run(in: lane) { [self] _ in
            if let encoding { return encoding.data(of: result.image) }
            return request.options.cacheSerializer.data(
                with: result.image,
                original: result.loadedData
            )
        }
        guard let data else {
            throw KingfisherError.cacheError(
                reason: .cannotSerializeImage(
                    image: result.image,
                    original: result.loadedData,
                    serializer: request.options.cacheSerializer
                )
            )
        }
        if result.isTruncated { return data }
        let isStoredByLoad = request.options.httpCaching
        if !isStoredByLoad, encoding != nil || (isFresh && request.options.isEncodedByCache) {
            try await store(data, of: result.source, lease, mark)
        }
        return data
    }

    private func store(
        _ data: Data,
        of source: Source,
        _ lease: SharedLease?,
        _ mark: RemovalMark
    ) async throws {
        guard !isMemoryOnly else { return }
        let stored = Gate()
        let (cache, entry) = (request.targetCache, entry(source.cacheKey, as: identifier))
        let put = {
            cache.put(
                data,
                key: source.cacheKey,
                identifier,
                as: entry,
                nil,
                expiration: request.options.diskCacheExpiration
            ) { result in
                if case .failure(let error) = result.diskCacheResult {
                    let reason = error.localizedDescription
                    Log.warning("An encoded image was not stored: \(reason)", key: source.cacheKey)
                }
                stored.open()
                withExtendedLifetime(lease) {}
            }
        }
        cache.store(entry, since: mark, stored, put)
        guard request.options.waitForCache else { return }
        await stored.waitUntilCancelled()
        try Task.checkCancellation()
    }

    // MARK: Rules

    /// Whether bytes of the source in the requested format can be returned unmodified.
    private var takesOriginals: Bool {
        request.identifier.isEmpty
            && encoding?.isLossless ?? (OriginalBytesSerializer(request.options) != nil)
    }

    /// Whether the encoded file gets its own entry.
    ///
    /// With HTTP caching the image's entry may be replaced at any time, and nothing records from
    /// which version another entry was encoded.
    private var keepsEncoding: Bool { encoding != nil && !request.options.httpCaching }

    private var identifier: String {
        guard let encoding else { return request.identifier }
        return request.identifier.isEmpty
            ? encoding.identifier : "\(request.identifier)|>\(encoding.identifier)"
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether the bytes stored by the cache differ from those of the source.
    fileprivate var isEncodedByCache: Bool {
        guard self.processor.identifier.isEmpty else {
            return !self.cacheSerializer.originalDataUsed
        }
        return OriginalBytesSerializer(self) == nil
    }
}
