import Foundation

/// Returns a load's image as an encoded file: the bytes on disk, or otherwise encoded once and
/// stored on disk.
struct EncodingStage {
    private let request: LoadRequest
    /// Nil for the encoding by the cache's serializer.
    private let encoding: ImageEncoding?

    init(_ request: LoadRequest, as encoding: ImageEncoding?) {
        self.request = request
        self.encoding = encoding
    }

    /// The options of the load that provides the image if there are no bytes.
    ///
    /// The encoded file replaces the image on disk. Downloads are stored by the load nevertheless,
    /// because other encodings may be made from them.
    var loadOptions: KingfisherParsedOptionsInfo {
        var options = request.options
        let replaces = encoding == nil ? isEncodedByCache : !request.identifier.isEmpty
        if replaces { options.cacheMemoryOnly = true }
        return options
    }

    /// Returns the stored bytes, if they have the requested encoding.
    ///
    /// - Parameter source: The source of the image; it may be an alternative source.
    /// - Returns: The bytes; nil if there are none in the format and quality.
    func stored(of source: Source) async -> Data? {
        guard request.looksUp, request.acceptsDisk else { return nil }
        // A lossless file from the cache's serializer can be used too.
        if encoding.map({ $0.isLossless && keepsEncoding }) ?? true, !request.storesRawBytes,
            !request.targetCache.isSubclassed,
            let data = await stored(of: source, as: request.identifier)
        {
            return data
        }
        return keepsEncoding ? await stored(of: source, as: identifier) : nil
    }

    private func stored(of source: Source, as identifier: String) async -> Data? {
        let entry = entry(of: source, as: identifier)
        guard request.targetCache.diskStorage.holds(entry) else { return await shared(entry) }
        // A damaged or missing file is a miss.
        let contents = try? await request.targetCache.storedBytes(
            of: entry,
            extending: request.options.diskCacheAccessExtendingExpiration,
            priority: request.options.downloadPriority
        )
        return contents.flatMap { checked($0.data) }
    }

    /// The bytes from the storage that machines share, if they have the requested encoding.
    private func shared(_ entry: CacheEntryName) async -> Data? {
        guard let level = request.targetCache.sharing, entry.isShareable,
            // A cancelled caller does not continue.
            case .hit(let hit?)? = try? await level.find(entry, checksDisk: false)
        else { return nil }
        return checked(hit.contents.data)
    }

    private func checked(_ data: Data) -> Data? {
        let format = data.kf.imageFormat
        return format != .unknown && format == encoding?.format ?? format ? data : nil
    }

    /// Claims the right to encode the image while other machines wait for it.
    ///
    /// - Parameter source: The source of the image.
    /// - Returns: The outcome; `none` if the encoded file is not stored, or is stored by the load.
    /// - Throws: `CancellationError`.
    func claim(of source: Source) async throws -> SharedLeases.Claim {
        guard let offer = request.offer, !offer.level.isPaused, !request.options.cacheMemoryOnly,
            !request.options.httpCaching, keepsEncoding || loadOptions.cacheMemoryOnly
        else { return .none }
        return try await offer.level.claim(entry(of: source, as: identifier))
    }

    private func entry(of source: Source, as identifier: String) -> CacheEntryName {
        CacheEntryName(
            key: source.cacheKey,
            identifier: identifier,
            forced: request.options.forcedExtension
        )
    }

    /// Returns the encoded bytes of a loaded image.
    ///
    /// - Parameters:
    ///   - result: The image.
    ///   - lease: Retained until the file is stored.
    /// - Returns: The file.
    /// - Throws: ``KingfisherError`` if it cannot be encoded; `CancellationError`.
    func bytes(of result: RetrieveImageResult, _ lease: SharedLease?) async throws -> Data {
        let isFresh = result.cacheType == .none
        let original = isFresh ? result.data() : nil
        if let original, takes(original) { return original }
        let urgency = Urgency(request.options.downloadPriority)
        let data = try await ImageMaker.pool.run(urgency: urgency) { [self] in
            encoding.map { $0.data(of: result.image) }
                ?? request.options.cacheSerializer.data(with: result.image, original: original)
        }
        guard let data else {
            throw KingfisherError.cacheError(
                reason: .cannotSerializeImage(
                    image: result.image,
                    original: original,
                    serializer: request.options.cacheSerializer
                )
            )
        }
        if keepsEncoding || (encoding == nil && isFresh && isEncodedByCache) {
            await store(data, of: result.source, lease)
        }
        return data
    }

    private func store(_ data: Data, of source: Source, _ lease: SharedLease?) async {
        guard !request.options.cacheMemoryOnly else { return }
        let stored = Gate()
        request.targetCache.storeToDisk(
            data,
            forKey: source.cacheKey,
            processorIdentifier: identifier,
            forcedExtension: request.options.forcedExtension,
            expiration: request.options.diskCacheExpiration,
            callbackQueue: .untouch
        ) { result in
            if case .failure(let error) = result.diskCacheResult {
                let reason = error.localizedDescription
                Log.warning("An encoded image was not stored: \(reason)", key: source.cacheKey)
            }
            stored.open()
            withExtendedLifetime(lease) {}
        }
        if request.options.waitForCache { await stored.wait() }
    }

    // MARK: Rules

    /// Whether the bytes of the source can be returned unmodified.
    private func takes(_ original: Data) -> Bool {
        guard request.identifier.isEmpty else { return false }
        guard let encoding else { return OriginalBytesSerializer(request.options) != nil }
        return encoding.isLossless && original.kf.imageFormat == encoding.format
    }

    /// Whether the encoded file gets its own entry.
    ///
    /// With HTTP caching the image's entry may be replaced at any time, and nothing records from
    /// which version another entry was encoded.
    private var keepsEncoding: Bool { encoding != nil && !request.options.httpCaching }

    /// Whether the bytes stored by the cache differ from those of the source.
    private var isEncodedByCache: Bool {
        guard request.identifier.isEmpty else { return !request.storesRawBytes }
        return OriginalBytesSerializer(request.options) == nil
    }

    private var identifier: String {
        guard let encoding else { return request.identifier }
        return request.identifier.isEmpty
            ? encoding.identifier : "\(request.identifier)|>\(encoding.identifier)"
    }
}
