public import Foundation
import Synchronization

/// Images in memory and on disk.
///
/// The overloads for `async` callers call those with a closure, so overrides of these are asked.
/// `@unchecked`: the class is open; its parts are constants that are safe to share.
open class ImageCache: @unchecked Sendable {
    /// The memory layer.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The disk layer.
    public let diskStorage: DiskStorage.Backend<Data>
    /// The entries that loads ask about in the background.
    let refreshing = Mutex<Set<CacheEntryName>>([])
    let reader = WorkPool(label: "com.onevcat.Kingfisher.ImageCache.read", width: 4)
    let upkeep = Mutex(Upkeep())

    /// Makes a cache of its two layers.
    ///
    /// The folder's index is read in the background at once, expired files are removed every ten
    /// minutes, and half of the memory is let go of whenever the kernel reports that it is short.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>,
        diskStorage: DiskStorage.Backend<Data>
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        reader.submit(priority: 1) { diskStorage.open() }
        startUpkeep()
    }

    // MARK: Storing

    /// Stores an image: in memory at once, on disk asynchronously.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; the serializer may want them.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations, write options and callback queue are used.
    ///   - toDisk: Whether the disk gets it too.
    ///   - completionHandler: Called on the options' callback queue when all is stored.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        keep(image, original, key: key, options: options, toDisk: toDisk) { result in
            if let completionHandler { options.callbackQueue.execute { completionHandler(result) } }
        }
    }

    /// Stores an image with the pieces of the options given one by one.
    open func store(
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

    /// Stores bytes on disk alone, under the storage's own expiration unless one is given.
    open func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        keep(data, as: entry, expiration: expiration) { result in
            if let completionHandler { callbackQueue.execute { completionHandler(result) } }
        }
    }

    // MARK: Looking up

    /// Looks an image up in memory, then on disk; a disk hit is put into memory.
    ///
    /// Of the options, processor, serializer, expirations and disk flags are used. The completion
    /// gets `.none` for a miss, which is no error; without a completion nothing is looked up.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        lookUp(
            key: key,
            entry: CacheEntryName(key: key, options: options),
            options: options,
            isStillWanted: nil,
            callbackQueue: callbackQueue,
            completion: completionHandler
        )
    }

    /// Looks an image up with a list of options.
    open func retrieveImage(
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

    /// The image in memory, if it is there; returns at once.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(forKey: key, options)
    }

    /// The image in memory, if it is there, with a list of options.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk alone, and does not put it into memory; nil for a miss.
    open func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler:
            @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let options = KingfisherParsedOptionsInfo(options)
        readDisk(key: key, entry: .init(key: key, options: options), options: options) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    /// Whether an image is cached, and in which layer; extends no expiration.
    ///
    /// Asks the file system for the file, and may open the folder, on this thread.
    open func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        layer(
            of: .init(key: key, identifier: identifier, forced: forcedExtension),
            asksForFile: true
        )
    }

    // MARK: Removing

    /// Removes an image: from memory at once, from disk asynchronously.
    open func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        remove(entry, fromMemory: fromMemory, fromDisk: fromDisk) {
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes every image from disk; the handler is called on the main queue, errors are ignored.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk(then: handler)
    }

    /// Removes expired images: from memory at once, from disk asynchronously.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes expired images from memory at once.
    open func cleanExpiredMemoryCache() { memoryStorage.removeExpired() }

    /// Removes expired images from disk, then trims it to its size limit.
    ///
    /// Posts `Notification.Name.KingfisherDidCleanDiskCache` when anything was
    /// removed, then calls the handler, both on the main queue. The handler is always called.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(then: handler)
    }

    // MARK: Files and sizes

    /// The file name of an image on disk.
    open func hash(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).lastPathComponent
    }

    /// The path of an image's file, whether or not it exists.
    open func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The URL of an image's file, if there is a valid one.
    open func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        fileURLIfValid(key, identifier, forcedExtension)
    }

    /// Reports the bytes of all files on disk, on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        measureDisk(then: handler)
    }

    /// The bytes of all images in memory.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    // MARK: For async callers

    /// Stores an image; returns when both layers have it.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer; memory has the image all the same.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await withCheckedThrowingContinuation { continuation in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                continuation.resume(with: $0.diskCacheResult)
            }
        }
    }

    /// Stores an image with the pieces of the options given one by one.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer; memory has the image all the same.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            store(
                image,
                original: original,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                cacheSerializer: serializer,
                toDisk: toDisk
            ) { continuation.resume(with: $0.diskCacheResult) }
        }
    }

    /// Stores bytes on disk alone.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer.
    open func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            storeToDisk(
                data,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                expiration: expiration
            ) { continuation.resume(with: $0.diskCacheResult) }
        }
    }

    /// Removes an image.
    ///
    /// - Throws: What the disk says, also when there is no such file.
    open func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true
    ) async throws {
        try await RemovalOutcome.of { done in
            removeImage(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                fromMemory: fromMemory,
                fromDisk: fromDisk,
                completionHandler: done
            )
        }
    }

    /// Looks an image up in memory, then on disk.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: options)
    }

    /// Looks an image up in memory, then on disk, with a list of options.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk alone; nil for a miss.
    open func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImageInDiskCache(forKey: key, options: options) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Clears both layers.
    open func clearCache() async {
        await withCheckedContinuation { done in clearCache { done.resume() } }
    }

    /// Clears the disk.
    open func clearDiskCache() async {
        await withCheckedContinuation { done in clearDiskCache { done.resume() } }
    }

    /// Removes what has expired from both layers.
    open func cleanExpiredCache() async {
        await withCheckedContinuation { done in cleanExpiredCache { done.resume() } }
    }

    /// Removes what has expired from disk, and trims it to its size limit.
    open func cleanExpiredDiskCache() async {
        await withCheckedContinuation { done in cleanExpiredDiskCache { done.resume() } }
    }

    /// The bytes of all files on disk.
    open var diskStorageSize: UInt {
        get async throws {
            try await withCheckedThrowingContinuation { size in
                calculateDiskStorageSize { size.resume(with: $0) }
            }
        }
    }
}
