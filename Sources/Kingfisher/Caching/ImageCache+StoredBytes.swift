import Foundation

/// What a load needs of the disk layer when it decodes the bytes itself.
extension ImageCache {
    /// The bytes of an entry, read on the cache's own threads; nil if there is none.
    ///
    /// - Parameters:
    ///   - entry: The entry; a subclass that overrides the lookup is not asked.
    ///   - extending: How reading extends the entry's expiration.
    ///   - priority: Of the read, among others of this cache.
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

    /// Whether the disk layer has the bytes of an entry that its index knows: in its file, or waiting
    /// to be written.
    func hasFile(of entry: CacheEntryName) async -> Bool {
        // A cancel leaves it open; a cancelled caller does not continue.
        (try? await reader.run { [diskStorage] in diskStorage.hasFile(of: entry) }) ?? true
    }

    /// A number that changes when memory's image of the entry is stored or removed; to be taken
    /// before the entry's bytes are read.
    func mark(of entry: CacheEntryName) -> UInt32 { memoryStorage.store.mark(of: entry.memoryKey) }

    /// Puts an image that was made of an entry's bytes into memory with the bytes' metadata, unless
    /// another was stored or the image removed since the mark was taken.
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

    /// Removes an entry whose bytes are no image, unless there may be others by now.
    func discardUndecodable(_ entry: CacheEntryName, key: String, since mark: UInt32) {
        guard mark == self.mark(of: entry) else { return }
        diskStorage.discard(entry)
        Log.warning("A cached file is no picture, and was removed.", key: key)
    }
}
