import Foundation

/// Disk access for loads that decode the bytes themselves.
extension ImageCache {
    /// The bytes of an entry, read on the cache's own threads; nil if there is none.
    ///
    /// - Parameters:
    ///   - entry: The entry; overrides in subclasses are not called.
    ///   - extending: How the read extends the entry's expiration.
    ///   - priority: The priority of the read among those of this cache.
    /// - Returns: The bytes, checked against the entry's checksum.
    /// - Throws: ``KingfisherError`` of the disk; `CancellationError` while it waits for a thread.
    func storedBytes(
        of entry: CacheEntryName,
        extending: ExpirationExtending,
        priority: Float
    ) async throws -> DiskContents? {
        try await reader.run(urgency: Urgency(priority)) { [diskStorage] in
            try diskStorage.contents(of: entry, extending: extending)
        }
    }

    /// Whether the disk has the bytes of an entry in the index: in its file, or pending.
    func hasFile(of entry: CacheEntryName) async -> Bool {
        // A cancelled check counts as true; a cancelled caller does not continue.
        (try? await reader.run { [diskStorage] in diskStorage.hasFile(of: entry) }) ?? true
    }

    /// A number that changes when the image of the entry in memory is stored or removed; read it
    /// before the bytes.
    func mark(of entry: CacheEntryName) -> UInt32 { memoryStorage.store.mark(of: entry.memoryKey) }

    /// Stores an image made from an entry's bytes in memory with their metadata, unless the entry
    /// was stored or removed since the mark was read.
    func keep(
        _ image: KFCrossPlatformImage,
        of entry: CacheEntryName,
        metadata: EntryMetadata?,
        tag: UInt8,
        expiration: StorageExpiration?,
        since mark: UInt32
    ) {
        memoryStorage.store.store(
            image,
            for: entry.memoryKey,
            cost: image.cacheCost,
            tag: tag,
            note: metadata,
            expiration: expiration ?? memoryStorage.config.expiration,
            ifUnchangedSince: mark
        )
    }

    /// Removes an entry whose bytes cannot be decoded, unless it may have been replaced.
    func discardUndecodable(_ entry: CacheEntryName, key: String, since mark: UInt32) {
        guard mark == self.mark(of: entry) else { return }
        diskStorage.discard(entry)
        Log.warning("A cached file is no picture, and was removed.", key: key)
    }
}
