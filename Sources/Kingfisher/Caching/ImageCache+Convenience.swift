import Foundation

/// Methods that are not overridable; they call the overridable ones.
extension ImageCache {
    /// Removes all images from memory.
    public func clearMemoryCache() { memoryStorage.removeAll() }

    /// Clears memory now and the disk asynchronously.
    ///
    /// - Parameter handler: Called on the main queue when the disk is cleared.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        removals.noteAll()
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    /// Whether an image is cached in memory or on disk.
    ///
    /// Checks the file, and may open the folder, on the calling thread.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - identifier: The identifier of the processor.
    ///   - forcedExtension: The extension of the file on disk, if one was forced.
    /// - Returns: Whether the image is cached.
    public func isCached(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(
            forKey: key,
            processorIdentifier: identifier,
            forcedExtension: forcedExtension
        ).cached
    }

    /// Reports the layer in which an image is cached.
    ///
    /// A memory hit is reported before the call returns; the disk is consulted on a thread of the
    /// cache.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - identifier: The identifier of the processor.
    ///   - forcedExtension: The extension of the file on disk, if one was forced.
    ///   - callbackQueue: The queue on which the handler is called.
    ///   - completionHandler: Receives the layer; `.none` if the image is not cached.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        if !isSubclassed, memoryStorage.store.contains(entry.memoryKey) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        reader.submit(priority: 1) { [self] in
            let type = imageCachedType(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension
            )
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// Returns the layer in which an image is cached.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - identifier: The identifier of the processor.
    ///   - forcedExtension: The extension of the file on disk, if one was forced.
    /// - Returns: The layer; `.none` if the image is not cached.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }

    /// The bytes of an entry on disk, with the checksum that they were stored with.
    ///
    /// This is how bytes of the cache are read: the file at
    /// ``cacheFileURLIfOnDisk(forKey:processorIdentifier:forcedExtension:)`` may be another one by the
    /// time it is opened.
    ///
    /// - Returns: The bytes; nil without an entry, and for a file that cannot be read or that another
    ///   program has changed.
    @_spi(Programs) public func storedData(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> Data? {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        let data = try? await reader.run { [diskStorage] in
            try? diskStorage.data(named: diskStorage.fileName(of: entry), extending: .none)
        }
        return data ?? nil
    }

    // MARK: Implementation

    func fileURL(_ key: String, _ identifier: String, _ forced: String?) -> URL {
        diskStorage.fileURL(of: CacheEntryName(key: key, identifier: identifier, forced: forced))
    }

    func measureDisk(
        on queue: CallbackQueue = .mainAsync,
        then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        reader.submit { [diskStorage] in
            let size = UInt(clamping: diskStorage.store.totalSize)
            queue.execute { handler(.success(size)) }
        }
    }
}
