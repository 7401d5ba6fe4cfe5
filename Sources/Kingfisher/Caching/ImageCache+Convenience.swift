import Foundation

/// What is not meant to be overridden, and asks the methods that are.
extension ImageCache {
    /// Removes every image from memory.
    public func clearMemoryCache() { memoryStorage.removeAll() }

    /// Clears memory at once and the disk behind; the handler is called on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    /// Whether any layer has an image.
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

    /// Reports in which layer an image is.
    ///
    /// A memory hit is reported before the call returns; the disk is asked on a thread of the
    /// cache.
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

    /// In which layer an image is.
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

    // MARK: How

    /// The layer of an entry, by memory and the index alone unless it `asksForFile`.
    func layer(of entry: CacheEntryName, asksForFile: Bool = false) -> CacheType {
        if memoryStorage.store.contains(entry.memoryKey) { return .memory }
        let (disk, name) = (diskStorage.disk, diskStorage.fileName(of: entry))
        return (asksForFile ? disk.hasFile(name) : disk.holds(name)) ? .disk : .none
    }

    func fileURL(_ key: String, _ identifier: String, _ forced: String?) -> URL {
        diskStorage.fileURL(of: CacheEntryName(key: key, identifier: identifier, forced: forced))
    }

    func fileURLIfValid(_ key: String, _ identifier: String, _ forced: String?) -> URL? {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forced)
        return diskStorage.disk.hasFile(diskStorage.fileName(of: entry))
            ? diskStorage.fileURL(of: entry) : nil
    }

    func measureDisk(then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void) {
        reader.submit { [diskStorage] in
            let size = UInt(clamping: diskStorage.store.totalSize)
            DispatchQueue.main.async { handler(.success(size)) }
        }
    }
}
