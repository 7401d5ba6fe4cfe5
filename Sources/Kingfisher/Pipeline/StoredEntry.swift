import Foundation

/// An entry of a disk cache whose bytes are read and decoded by a load.
///
/// One read and one decode serve all loads that need the same result, within the memory budget and
/// directly at the size that the processor needs.
struct StoredEntry: Sendable {
    private let cache: ImageCache
    private let entry: CacheEntryName
    /// The options with the processor that receives the bytes.
    private let options: KingfisherParsedOptionsInfo
    /// The tag of the image in memory; nil if the image is not the entry's own.
    private let tag: UInt8?
    /// Whether the load's processor still has to run.
    private let needsProcessing: Bool
    /// Whether it is the original, of which the image is made.
    let isOriginal: Bool
    /// The entry if it comes from the shared storage, for a disk that cannot store it.
    private let shared: SharedHit?

    /// - Parameters:
    ///   - target: The entry.
    ///   - isOriginal: Whether it is the original's.
    ///   - request: The load.
    ///   - shared: The entry if it comes from the shared storage.
    init(
        _ target: CacheTarget,
        isOriginal: Bool,
        _ request: LoadRequest,
        _ shared: SharedHit?
    ) {
        cache = target.cache
        entry = target.entry
        self.isOriginal = isOriginal
        let isRaw = isOriginal || request.storesRawBytes
        let isMade = isRaw && request.options.processor.prefersBytes
        options = isMade ? request.options : request.decodingOptions
        needsProcessing = isRaw && !isMade
        if isOriginal {
            // The result of the processor must not be stored in place of the original.
            tag = isMade ? nil : ImageCache.Tag.processed
        } else {
            tag = needsProcessing ? ImageCache.Tag.unprocessed : ImageCache.Tag.processed
        }
        self.shared = shared
    }

    /// Makes the image of a load.
    ///
    /// - Throws: ``EncodedImage/Missing`` if the entry is gone or damaged; ``KingfisherError`` if the
    ///   processor refuses sound bytes, or no caller needs the image any more; `CancellationError`.
    func image(for request: LoadRequest) async throws -> LoadedImage {
        while true {
            do {
                var loaded = try await decoded(for: request)
                // Without need no image is made from an original; a hit is delivered.
                if isOriginal { try request.checkWanted() }
                if needsProcessing { loaded.image = try await request.processed(loaded.image) }
                return loaded
            } catch is EncodedImage.Unwanted {
                try request.checkWanted()
            } catch is EncodedImage.Missing {
                // Without an image the load would continue with the network.
                try request.checkWanted()
                throw EncodedImage.Missing()
            }
        }
    }

    private func decoded(for request: LoadRequest) async throws -> LoadedImage {
        let version = cache.version(of: entry)
        let encoded = cache.encodedImages.image(for: .init(entry: entry, version: version)) {
            try contents()
        }
        do {
            let image = try await encoded.image(
                DecodeRequest(options),
                by: request.processing,
                staysCancelled: !isOriginal,
                isWanted: { !request.isSuperseded }
            )
            let metadata = encoded.file?.metadata
            if let tag {
                cache.keep(
                    image,
                    of: entry,
                    metadata: metadata,
                    tag: tag,
                    expiration: options.memoryCacheExpiration,
                    since: version
                )
            }
            return LoadedImage(
                image: image,
                cacheType: isOriginal ? .none : .disk,
                metadata: metadata,
                isMadeOfOriginal: isOriginal
            )
        } catch KingfisherError.processorError(reason: .processingFailed(let processor, let item)) {
            guard let data = encoded.file?.data, await request.processing.areDamaged(data) else {
                throw KingfisherError.processorError(
                    reason: .processingFailed(processor: processor, item: item)
                )
            }
            // The image is loaded and stored again.
            cache.discardUndecodable(entry, key: request.key, since: version)
            throw EncodedImage.Missing()
        }
    }

    /// Reads the bytes, blocking.
    private func contents() throws -> DiskContents? {
        do throws(KingfisherError) {
            let stored = try cache.diskStorage.contents(
                of: entry,
                extending: options.diskCacheAccessExtendingExpiration
            )
            return stored ?? sharedContents
        } catch {
            // A file that cannot be read is a miss: the image is loaded and stored again.
            return sharedContents
        }
    }

    /// The bytes from the shared storage, unless the entry was stored or removed since.
    private var sharedContents: DiskContents? {
        guard let shared, shared.version == cache.version(of: entry) else { return nil }
        return shared.contents
    }
}
