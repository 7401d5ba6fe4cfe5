public import Foundation

extension ImageCache {
    /// Stores an image with the pieces of the options given one by one.
    public func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        store(
            image,
            original: original,
            forKey: key,
            options: Self.options(identifier, forcedExtension, serializer, callbackQueue),
            toDisk: toDisk,
            completionHandler: completionHandler
        )
    }

    private static func options(
        _ identifier: String,
        _ forcedExtension: String?,
        _ serializer: any CacheSerializer,
        _ queue: CallbackQueue
    ) -> KingfisherParsedOptionsInfo {
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = IdentifierOnlyProcessor(identifier: identifier)
        options.forcedExtension = forcedExtension
        options.cacheSerializer = serializer
        options.callbackQueue = queue
        return options
    }

    /// Looks an image up with a list of options.
    public func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key,
            options: KingfisherParsedOptionsInfo(options),
            callbackQueue: callbackQueue,
            completionHandler: completionHandler
        )
    }

    /// The image in memory, if it is there, with a list of options.
    public func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk alone, and does not put it into memory; nil for a miss.
    public func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler:
            @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        readDisk(forKey: key, options: KingfisherParsedOptionsInfo(options)) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    /// Clears memory at once and the disk behind; the handler is called on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearMemoryCache()
        clearDiskCache(completion: handler)
    }

    /// Removes what has expired, from memory at once and from the disk behind.
    public func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
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
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        let type = imageCachedType(
            forKey: key,
            processorIdentifier: identifier,
            forcedExtension: forcedExtension
        )
        callbackQueue.execute { completionHandler(type) }
    }

    /// In which layer an image is.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        imageCachedType(
            forKey: key,
            processorIdentifier: identifier,
            forcedExtension: forcedExtension
        )
    }

    /// The file name of an image on disk.
    public func hash(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).lastPathComponent
    }

    /// The path of an image's file, whether or not it exists.
    public func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The URL of an image's file, if there is a valid one.
    public func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        return diskStorage.isCached(
            forKey: entry.computedKey,
            forcedExtension: entry.forcedExtension
        ) ? fileURL(key, identifier, forcedExtension) : nil
    }

    private func fileURL(_ key: String, _ identifier: String, _ forced: String?) -> URL {
        diskStorage.cacheFileURL(
            forKey: CacheEntryName(key: key, identifier: identifier, forced: forced).computedKey,
            forcedExtension: forced
        )
    }

    /// Reports the bytes of all files on disk, on the main queue.
    public func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        reader.submit { [diskStorage] in
            let size = Result { try diskStorage.totalSize() }
                .mapError { KingfisherError(caching: $0) }
            DispatchQueue.main.async { handler(size) }
        }
    }

    /// The bytes of all images in memory.
    public var memoryStorageCacheCost: Int {
        memoryStorage.totalCacheCost()
    }
}

/// Stands for a processor of which only the identifier is known.
private struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}
