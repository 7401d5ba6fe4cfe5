import Foundation

/// An entry of a disk cache whose bytes are read and decoded by a load.
///
/// One read and one decode serve all loads that need the same result, within the memory budget and
/// directly at the size that the processor needs.
struct StoredEntry: Sendable {
    let cache: ImageCache
    let entry: CacheEntryName
    /// The options with the processor that receives the bytes.
    let options: KingfisherParsedOptionsInfo
    /// The tag of the image in memory; nil if the image is not the entry's own.
    let tag: UInt8?
    /// Whether the image is delivered even if the load was cancelled.
    let ignoresCancel: Bool
    /// The entry if it comes from the shared storage, for a disk that cannot store it.
    var shared: SharedHit?

    /// The image; nil when the entry is gone or damaged.
    ///
    /// - Throws: ``KingfisherError`` when the processor refuses bytes that are sound, or no caller
    ///   wants the image any more; `CancellationError`.
    func image(for request: LoadRequest) async throws -> StoredImage? {
        guard ignoresCancel else { return try await wantedImage(for: request) }
        return try await Task { try await wantedImage(for: request) }.value
    }

    private func wantedImage(for request: LoadRequest) async throws -> StoredImage? {
        while true {
            do {
                let image = try await madeImage(for: request)
                // Without an image the load would continue with the network.
                if image == nil || tag == nil { try request.checkWanted() }
                return image
            } catch is StoredBatches.Unwanted {
                try request.checkWanted()
            }
        }
    }

    private func madeImage(for request: LoadRequest) async throws -> StoredImage? {
        let mark = cache.mark(of: entry)
        let made = try await outcome(for: request, since: mark)
        guard let made else { return nil }
        do {
            let image = try made.image.get()
            if let tag {
                cache.keep(
                    image,
                    of: entry,
                    metadata: made.contents.metadata,
                    tag: tag,
                    expiration: options.memoryCacheExpiration,
                    since: mark
                )
            }
            return StoredImage(image: image, metadata: made.contents.metadata)
        } catch KingfisherError.processorError(reason: .processingFailed(let processor, let item)) {
            guard await request.processing.areDamaged(made.contents.data) else {
                throw KingfisherError.processorError(
                    reason: .processingFailed(processor: processor, item: item)
                )
            }
            // The image is loaded and stored again.
            cache.discardUndecodable(entry, key: request.key, since: mark)
            return nil
        }
    }

    private func outcome(
        for request: LoadRequest,
        since mark: UInt32
    ) async throws -> StoredBatch.Outcome? {
        // A queue of the caller's own works for this caller alone.
        guard options.processingQueue == nil else {
            guard !request.isStale else { throw StoredBatches.Unwanted() }
            guard let read = try await contents(options.downloadPriority) else { return nil }
            guard !request.isStale else { throw StoredBatches.Unwanted() }
            let urgency = Urgency(options.downloadPriority)
            return await StoredBatch.Outcome(read) {
                try await request.processing.image(of: .data(read.data), options, urgency)
            }
        }
        return try await request.processing.batches.image(
            of: StoredBatches.Key(cache: ObjectIdentifier(cache), entry: entry, mark: mark),
            options: options,
            on: request.processing,
            isWanted: { !request.isStale },
            read: { try await contents($0) }
        )
    }

    private func contents(_ priority: Float) async throws -> DiskContents? {
        do {
            let stored = try await cache.storedBytes(
                of: entry,
                extending: options.diskCacheAccessExtendingExpiration,
                priority: priority
            )
            return stored ?? sharedContents
        } catch is KingfisherError {
            // A file that cannot be read is a miss: the image is loaded and stored again.
            return sharedContents
        }
    }

    /// The bytes from the shared storage, unless the entry was stored or removed since.
    private var sharedContents: DiskContents? {
        guard let shared, shared.mark == cache.mark(of: entry) else { return nil }
        return shared.contents
    }
}
