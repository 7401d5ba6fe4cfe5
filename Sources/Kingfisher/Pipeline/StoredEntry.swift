import Foundation

/// An entry of a disk cache whose bytes are read and decoded by a load.
///
/// One read and one decode serve all loads that need the same result, within the memory budget and
/// directly at the size that the processor needs.
struct StoredEntry: Sendable {
    private let target: CacheTarget
    /// The entry as the disk found it; nil if it comes from the shared storage.
    private let handle: DiskHandle?
    /// The entry if it comes from the shared storage, for a disk that cannot store it.
    private let shared: SharedHit?

    /// - Parameters:
    ///   - target: The entry.
    ///   - handle: The entry as the disk found it.
    ///   - shared: The entry if it comes from the shared storage.
    init(_ target: CacheTarget, _ handle: DiskHandle?, _ shared: SharedHit?) {
        self.target = target
        self.handle = handle
        self.shared = shared
    }

    /// Whether it is the original, of which the image is made.
    var isOriginal: Bool { target.isOriginal }

    private var request: LoadRequest { target.request }
    private var cache: ImageCache { target.cache }
    private var entry: CacheEntryName { target.entry }

    /// Whether the bytes are those of the source.
    private var isRaw: Bool { isOriginal || request.storesRawBytes }

    /// Whether the load's processor gets the bytes.
    private var isMade: Bool { isRaw && Traits(of: request.options.processor).prefersBytes }

    /// Whether the load's processor gets the decoded image.
    private var needsProcessing: Bool { isRaw && !isMade }

    private var serializerDecoding: SerializerDecoding? {
        guard !request.isForBytes else { return nil }
        return SerializerDecoding(target.options, isOriginal: isOriginal)
    }

    /// The tag of the image in memory; nil if the image is not the entry's own.
    private var tag: UInt8? {
        // The result of the processor must not be stored in place of the original.
        if isOriginal { return isMade ? nil : ImageCache.Tag.processed }
        return needsProcessing ? ImageCache.Tag.unprocessed : ImageCache.Tag.processed
    }

    /// Makes the image of a load.
    ///
    /// - Throws: ``EncodedImage/Missing`` if the entry is gone or damaged; ``KingfisherError`` if the
    ///   processor refuses sound bytes, or no caller needs the image any more; `CancellationError`.
    func image() async throws -> LoadedImage {
        while true {
            do {
                var loaded = try await decoded()
                // Without need no image is made from an original; a hit is delivered.
                if isOriginal { try request.checkWanted() }
                if needsProcessing { loaded.image = try await request.processed(loaded.image) }
                return loaded
            } catch is EncodedImage.Unwanted {
                try request.checkWanted()
            } catch let missing as EncodedImage.Missing {
                // Without an image the load would continue with the network.
                try request.checkWanted()
                throw missing
            }
        }
    }

    private func decoded() async throws -> LoadedImage {
        let (cache, entry, request) = (cache, entry, request)
        let version = cache.version(of: entry)
        let encoded = cache.encodedImages.image(for: .init(entry: entry, version: version)) {
            try contents()
        }
        let decoding = serializerDecoding
        do {
            let image = try await encoded.image(
                DecodeRequest(isMade ? request.options : request.decodingOptions, by: decoding),
                by: request.processing,
                staysCancelled: !isOriginal,
                isWanted: { !request.isSuperseded }
            )
            // The load may be superseded since, because a serializer of the program takes any time.
            if decoding != nil { try request.checkWanted() }
            let metadata = encoded.file?.metadata
            if let tag {
                cache.keep(
                    image,
                    of: entry,
                    metadata: metadata,
                    tag: tag,
                    expiration: request.options.memoryCacheExpiration,
                    since: version
                )
            }
            return LoadedImage(
                image: image,
                cacheType: isOriginal ? .none : .disk,
                metadata: metadata,
                isMadeOfOriginal: isOriginal
            )
        } catch {
            guard await showsDamage(error) else { throw error }
            // The image is loaded and stored again.
            cache.discardUndecodable(entry, key: request.key, since: version)
            throw EncodedImage.Missing()
        }
    }

    private func showsDamage(_ error: any Error) async -> Bool {
        if let missing = error as? EncodedImage.Missing { return missing.isDamaged }
        guard
            case .processorError(reason: .processingFailed(_, .data(let data)))? =
                error as? KingfisherError
        else { return false }
        return await request.processing.areDamaged(data)
    }

    /// Reads the bytes, blocking.
    private func contents() throws -> DiskContents? {
        let extending = request.options.diskCacheAccessExtendingExpiration
        do throws(KingfisherError) {
            // An entry of the shared storage may be pending, or on disk by now.
            let stored =
                if let handle {
                    try cache.diskStorage.contents(of: handle, extending: extending)
                } else {
                    try cache.diskStorage.contents(of: entry, extending: extending)
                }
            return stored ?? sharedContents
        } catch {
            // A file that cannot be read is a miss: the image is loaded and stored again.
            guard let shared = sharedContents else { throw EncodedImage.Missing(reason: error) }
            return shared
        }
    }

    /// The bytes from the shared storage, unless the entry was stored or removed since.
    private var sharedContents: DiskContents? {
        guard let shared, shared.version == cache.version(of: entry) else { return nil }
        return shared.contents
    }
}
