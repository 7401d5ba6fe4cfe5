import Foundation

/// An entry of a disk cache whose bytes a load reads and decodes.
///
/// One read and one decode serve all loads that want the same of it, within the memory budget and
/// straight to the size that the processor asks for.
struct StoredEntry: Sendable {
    let cache: ImageCache
    let entry: CacheEntryName
    /// With the processor that is given the bytes.
    let options: KingfisherParsedOptionsInfo
    /// How memory keeps the image; nil when it is not the entry's own.
    let tag: UInt8?
    /// Whether the image is delivered although the load was cancelled.
    let ignoresCancel: Bool

    /// The load for which the others' image was being made lost interest.
    private struct Unwanted: Error {}

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
                let image = try await sharedImage(for: request)
                // Without an image the load would go on to the network.
                if image == nil || tag == nil { try request.checkWanted() }
                return image
            } catch is Unwanted {
                try request.checkWanted()
            }
        }
    }

    private func sharedImage(for request: LoadRequest) async throws -> StoredImage? {
        let mark = cache.mark(of: entry)
        let work: @Sendable (Urgency) async throws -> StoredImage? = { urgency in
            try await make(for: request, since: mark, urgency)
        }
        let urgency = Urgency(options.downloadPriority)
        // A queue of the caller's own works for this caller alone.
        guard options.processingQueue == nil else { return try await work(urgency) }
        let key = ProcessingJobs.StoredKey(
            cache: ObjectIdentifier(cache),
            entry: entry,
            mark: mark,
            decoding: JobGraph.Key(options)
        )
        return try await request.processing.stored.value(for: key, urgency: urgency, work)
    }

    private func make(
        for request: LoadRequest,
        since mark: UInt32,
        _ urgency: Urgency
    ) async throws -> StoredImage? {
        guard options.processingQueue == nil else {
            return try await decode(for: request, since: mark, urgency)
        }
        return try await request.processing.entriesAtOnce.with(bytes: 1) {
            try await decode(for: request, since: mark, urgency)
        }
    }

    private func decode(
        for request: LoadRequest,
        since mark: UInt32,
        _ urgency: Urgency
    ) async throws -> StoredImage? {
        guard !request.isStale else { throw Unwanted() }
        guard let stored = try await contents(urgency.priority) else { return nil }
        guard !request.isStale else { throw Unwanted() }
        do {
            let image = try await request.processing.image(
                of: .data(stored.data),
                options,
                urgency
            )
            if let tag {
                cache.keep(
                    image,
                    of: entry,
                    checksum: stored.checksum,
                    tag: tag,
                    expiration: options.memoryCacheExpiration,
                    since: mark
                )
            }
            return StoredImage(image: image, checksum: stored.checksum)
        } catch KingfisherError.processorError(reason: .processingFailed(let processor, let item)) {
            guard await request.processing.areDamaged(stored.data) else {
                throw KingfisherError.processorError(
                    reason: .processingFailed(processor: processor, item: item)
                )
            }
            // Loaded again and stored anew.
            cache.discardUndecodable(entry, key: request.key, since: mark)
            return nil
        }
    }

    private func contents(_ priority: Float) async throws -> DiskContents? {
        do {
            return try await cache.storedBytes(
                of: entry,
                extending: options.diskCacheAccessExtendingExpiration,
                priority: priority
            )
        } catch is KingfisherError {
            // A file that cannot be read is a miss: the image is loaded again and stored anew.
            return nil
        }
    }
}
