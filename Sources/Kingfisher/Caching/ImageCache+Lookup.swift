import Foundation

extension ImageCache {
    /// Additional information about an image in memory.
    enum Tag {
        /// The image is final.
        static let processed: UInt8 = 0
        /// The image was read from original bytes, and its processor has not run.
        static let unprocessed: UInt8 = 1
    }

    /// Looks an image up in both layers.
    ///
    /// - Parameters:
    ///   - key: The key of the source, for subclasses.
    ///   - entry: The name of the entry, made from the key and the options unless given.
    ///   - options: As for the overload with a closure.
    ///   - isStillWanted: Called before each step of a disk read. Once it returns false, the read
    ///     returns `.none` and does not change memory. A subclass that overrides the lookup is not
    ///     interrupted.
    /// - Returns: The image and its layer, or `.none`.
    /// - Throws: ``KingfisherError`` of the disk.
    func lookUp(
        key: String,
        entry: CacheEntryName? = nil,
        options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> ImageCacheResult {
        guard !isSubclassed else {
            let miss = Result<ImageCacheResult, KingfisherError>.success(.none)
            return try await OnceCompletion.result(ifReleased: miss) {
                retrieveImage(
                    forKey: key,
                    options: options,
                    callbackQueue: .untouch,
                    completionHandler: $0
                )
            }.get()
        }
        return try await withCheckedThrowingContinuation { continuation in
            lookUp(
                key: key,
                entry: entry ?? CacheEntryName(key: key, options: options),
                options: options,
                isStillWanted: isStillWanted,
                callbackQueue: .untouch,
                completion: { continuation.resume(with: $0) }
            )
        }
    }

    func lookUp(
        key: String,
        entry: CacheEntryName,
        options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)?,
        callbackQueue: CallbackQueue,
        completion: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) {
        if let image = imageInMemory(key: key, entry: entry, options) {
            callbackQueue.execute { completion(.success(.memory(image))) }
            return
        }
        guard !options.fromMemoryCacheOrRefresh else {
            callbackQueue.execute { completion(.success(.none)) }
            return
        }
        readDisk(
            key: key,
            entry: entry,
            options: options,
            promotes: true,
            isStillWanted: isStillWanted
        ) { result in
            let outcome = result.map { image in image.map { .disk($0) } ?? ImageCacheResult.none }
            callbackQueue.execute { completion(outcome) }
        }
    }

    /// Whether lookups must go through methods that a subclass may override.
    var isSubclassed: Bool { type(of: self) != ImageCache.self }

    /// The image in memory, or nil; in a subclass the overridable method is called with the key.
    func imageInMemory(
        key: String,
        entry: CacheEntryName,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        isSubclassed
            ? retrieveImageInMemoryCache(forKey: key, options: options)
            : imageInMemory(entry, options)
    }

    func imageInMemory(
        forKey key: String,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        // Usually the key is the source's own; making a name would retain it.
        options.processor.identifier.isEmpty
            ? imageInMemory(key, hash: KeyHash.of(key), KeyDivision(afterKey: key), options)
            : imageInMemory(CacheEntryName(key: key, options: options), options)
    }

    func imageInMemory(
        _ entry: CacheEntryName,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(
            entry.memoryKey.string,
            hash: entry.memoryKey.hash,
            entry.memoryKey.division,
            options
        )
    }

    func imageInMemory(
        _ key: String,
        hash: Int,
        _ division: KeyDivision,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let extending = options.memoryCacheAccessExtendingExpiration
        // The cache retains the store, whose timer refers to it weakly. Retaining and releasing it
        // here would take a third of the lookup.
        let store = Unmanaged.passUnretained(memoryStorage.store)
        let object = store._withUnsafeGuaranteedRef {
            $0.object(for: key, hash: hash, division: division, extending: extending)
        }
        // The storage contains nothing else, and a checked cast would cost as much as the lookup.
        return object.map { unsafeDowncast($0, to: KFCrossPlatformImage.self) }
    }

    /// Whether methods of a subclass can ask the disk without opening the folder, which takes long
    /// if it has many entries.
    var isOpen: Bool { diskStorage.store.isOpen }

    /// Asks about the disk on a thread for reading, which may open the folder.
    ///
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func probing<Answer: Sendable>(
        _ ask: @escaping @Sendable () -> Answer
    ) async throws -> Answer {
        try await Job.run { [reader] _ in try await reader.run(urgency: Urgency(1)) { ask() } }
    }

    /// Whether the image in memory is final; false if there is none.
    func holdsProcessedImage(_ entry: CacheEntryName) -> Bool {
        memoryStorage.store.hit(for: entry.memoryKey, extending: .none)?.tag == Tag.processed
    }

    /// Reads and decodes a file on disk, and stores the image in memory if `promotes` is set.
    ///
    /// Bytes that the serializer cannot decode count as a miss and are removed, so that they do not
    /// block their key until they expire.
    func readDisk(
        key: String,
        entry: CacheEntryName,
        options: KingfisherParsedOptionsInfo,
        promotes: Bool = false,
        isStillWanted: (@Sendable () -> Bool)? = nil,
        completion: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let version = version(of: entry)
        let read: @Sendable () -> Void = { [self] in
            let result = Result { () throws(KingfisherError) in
                try imageOnDisk(
                    key: key,
                    entry: entry,
                    options: options,
                    promotes: promotes,
                    since: version,
                    isWanted: isStillWanted ?? { true }
                )
            }
            completion(result)
        }
        if options.loadDiskFileSynchronously {
            read()
        } else {
            reader.submit(priority: options.priority, read)
        }
    }

    private func imageOnDisk(
        key: String,
        entry: CacheEntryName,
        options: KingfisherParsedOptionsInfo,
        promotes: Bool,
        since version: UInt32,
        isWanted: () -> Bool
    ) throws(KingfisherError) -> KFCrossPlatformImage? {
        guard isWanted() else { return nil }
        let extending = options.diskCacheAccessExtendingExpiration
        guard let stored = try diskStorage.contents(of: entry, extending: extending), isWanted()
        else { return nil }
        let serializer = options.cacheSerializer
        guard let image = serializer.image(with: stored.data, options: options) else {
            // Without an image from a worker, the bytes may be sound.
            if !options.isolated, !stored.data.isDrawing {
                discardUndecodable(entry, key: key, since: version)
            }
            return nil
        }
        guard isWanted() else { return nil }
        if promotes {
            let isOriginal = serializer.originalDataUsed && !options.processor.identifier.isEmpty
            keep(
                image,
                of: entry,
                metadata: stored.metadata,
                tag: isOriginal ? Tag.unprocessed : Tag.processed,
                expiration: options.memoryCacheExpiration,
                since: version
            )
        }
        return image
    }
}

/// Disk access for loads that decode the bytes themselves.
extension ImageCache {
    /// The bytes of an entry, read on the cache's own threads; nil if there is none.
    ///
    /// - Parameters:
    ///   - handle: The entry.
    ///   - extending: How the read extends the entry's expiration.
    ///   - priority: The priority of the read among those of this cache.
    /// - Returns: The bytes, checked against the entry's checksum.
    /// - Throws: ``KingfisherError`` of the disk; `CancellationError` while it waits for a thread.
    func storedBytes(
        of handle: DiskHandle,
        extending: ExpirationExtending,
        priority: Float
    ) async throws -> DiskContents? {
        try await reader.run(urgency: Urgency(priority)) { [diskStorage] in
            try diskStorage.contents(of: handle, extending: extending)
        }
    }

    /// A number that changes when the image of the entry in memory is stored or removed; read it
    /// before the bytes.
    func version(of entry: CacheEntryName) -> UInt32 {
        memoryStorage.store.version(of: entry.memoryKey)
    }

    /// Stores an image made from an entry's bytes in memory with their metadata, unless the entry
    /// was stored or removed since the version was read.
    func keep(
        _ image: KFCrossPlatformImage,
        of entry: CacheEntryName,
        metadata: EntryMetadata?,
        tag: UInt8,
        expiration: StorageExpiration?,
        since version: UInt32
    ) {
        memoryStorage.store.store(
            image,
            for: entry.memoryKey,
            cost: image.cacheCost,
            tag: tag,
            note: metadata,
            expiration: expiration ?? memoryStorage.config.expiration,
            ifUnchangedSince: version
        )
    }

    /// Removes an entry whose bytes cannot be decoded, unless it may have been replaced.
    func discardUndecodable(_ entry: CacheEntryName, key: String, since version: UInt32) {
        guard version == self.version(of: entry) else { return }
        diskStorage.discard(entry)
        Log.warning("A cached file is no picture, and was removed.", key: key)
    }
}
