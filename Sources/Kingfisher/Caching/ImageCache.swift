public import Foundation
import Synchronization

// `@unchecked`: the class is open; its parts are safe to share.
/// Stores images in memory and on disk.
///
/// The `async` overloads call those with a closure, so that overrides of the latter take effect.
///
/// ```swift
/// let cache = try ImageCache(name: "thumbnails", cacheDirectoryURL: folder)
/// cache.diskStorage.config.sizeLimit = 500_000_000
/// let manager = KingfisherManager(downloader: .default, cache: cache)
/// ```
open class ImageCache: @unchecked Sendable {
    /// The memory storage.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The disk storage.
    public let diskStorage: DiskStorage.Backend<Data>
    let http = HTTPCachingState()
    /// The files on disk that loads read and decode.
    let encodedImages = EncodedImages()
    let reader = WorkPool(label: "com.onevcat.Kingfisher.ImageCache.read", width: 4)
    let upkeep = Mutex(Upkeep())
    let shared = SharedSlot()
    /// The removals of entries, for the work that runs meanwhile.
    @_spi(Server) public let removals = Removals()

    /// Makes a cache from its two storages.
    ///
    /// Reads the folder's index in the background, removes expired files every ten minutes, and
    /// frees half of the memory whenever the kernel reports memory pressure.
    ///
    /// - Parameters:
    ///   - memoryStorage: The images in memory.
    ///   - diskStorage: The files; caches of one folder share its state.
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

    /// Stores an image: in memory immediately, on disk asynchronously.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; passed to the serializer.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations, write options and callback queue are used.
    ///   - toDisk: Whether it is stored on disk too.
    ///   - completionHandler: Called on the options' callback queue when the image is stored.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let entry = CacheEntryName(key: key, options: options)
        let metadata = ArrivingRecord.metadata(for: entry, image, in: self)
        keep(image, original, as: entry, metadata, options, toDisk) { result in
            if let completionHandler { options.callbackQueue.execute { completionHandler(result) } }
        }
    }

    /// Stores an image, with separate parameters in place of options.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; passed to the serializer.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - serializer: Encodes the image for the disk.
    ///   - toDisk: Whether it is stored on disk too.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Called when the image is stored.
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

    /// Stores bytes only on disk, asynchronously.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - expiration: When the file expires; nil for the expiration of the storage.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Called when the file is written.
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
        let metadata = ArrivingRecord.metadata(for: entry, nil, in: self)
        keep(data, as: entry, metadata, expiration: expiration) { result in
            if let completionHandler { callbackQueue.execute { completionHandler(result) } }
        }
    }

    // MARK: Looking up

    /// Looks up an image in memory, then on disk; a disk hit is stored in memory.
    ///
    /// A miss is no error: the handler receives `.none`. Without a handler nothing is looked up.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Receives the image and its layer, or the error of the disk.
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

    /// Looks up an image, with a list of options.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Receives the image and its layer, or the error of the disk.
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

    /// Returns the image in memory; does not block.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: The processor and the extension of the expiration are used.
    /// - Returns: The image; nil for a miss.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(forKey: key, options)
    }

    /// Returns the image in memory, with a list of options.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: The processor and the extension of the expiration are used.
    /// - Returns: The image; nil for a miss.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image only on disk, without storing it in memory.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Receives the image, nil for a miss, or the error of the disk.
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
    /// Checks the file, and may open the folder, on the calling thread.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    /// - Returns: The layer; `.none` for a miss.
    open func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        if memoryStorage.store.contains(entry.memoryKey) { return .memory }
        return diskStorage.ask(entry, effort: .file).isThere ? .disk : .none
    }

    // MARK: Removing

    /// Removes an image: from memory immediately, from disk asynchronously.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - fromMemory: Whether it is removed from memory.
    ///   - fromDisk: Whether it is removed from disk.
    ///   - callbackQueue: Where the handler is called.
    ///   - completionHandler: Called when the image is removed, also after an error of the disk.
    open func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        remove(key, identifier, forcedExtension, fromMemory: fromMemory, fromDisk: fromDisk) {
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes all images from disk, ignoring errors; calls the handler on the main queue.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk(then: handler)
    }

    /// Removes expired images: from memory immediately, from disk asynchronously.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes expired images from memory.
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
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    /// - Returns: The name, without a folder.
    open func hash(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.fileName(
            of: CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        )
    }

    /// The path of an image's file, whether or not it exists.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    /// - Returns: The absolute path.
    open func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The URL of an image's file.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    /// - Returns: The URL; nil if there is no file or it has expired.
    open func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        return diskStorage.ask(entry, effort: .file).isThere ? diskStorage.fileURL(of: entry) : nil
    }

    /// Reports the total size of the files on disk in bytes, on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        measureDisk(then: handler)
    }

    /// The size of all images in memory in bytes.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    // MARK: For async callers

    // Without a subclass, whose overrides count, they do not wait for the main queue, which a
    // program may block until they return.

    /// Stores an image; returns when it is stored in memory and on disk.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; passed to the serializer.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and write options are used.
    ///   - toDisk: Whether it is stored on disk too.
    /// - Throws: ``KingfisherError`` of the disk; the image is stored in memory nevertheless.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await storing(CacheEntryName(key: key, options: options)) { [options] done in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                done($0)
            }
        }
    }

    /// Stores an image, with separate parameters in place of options.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; passed to the serializer.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - serializer: Encodes the image for the disk.
    ///   - toDisk: Whether it is stored on disk too.
    /// - Throws: ``KingfisherError`` of the disk; the image is stored in memory nevertheless.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        try await storing(entry) {
            store(
                image,
                original: original,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                cacheSerializer: serializer,
                toDisk: toDisk,
                completionHandler: $0
            )
        }
    }

    /// Stores bytes only on disk.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - expiration: When the file expires; nil for the expiration of the storage.
    /// - Throws: ``KingfisherError`` of the disk.
    open func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        try await storing(entry) {
            storeToDisk(
                data,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                expiration: expiration,
                completionHandler: $0
            )
        }
    }

    /// Removes an image.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - identifier: The identifier of the processor; empty for unprocessed images.
    ///   - forcedExtension: The file extension that the image is stored with; nil for none.
    ///   - fromMemory: Whether it is removed from memory.
    ///   - fromDisk: Whether it is removed from disk.
    /// - Throws: The error of the disk, also if there is no such file.
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

    /// Looks up an image in memory, then on disk.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    /// - Returns: The image and its layer; `.none` for a miss.
    /// - Throws: ``KingfisherError`` of the disk.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: options)
    }

    /// Looks up an image in memory, then on disk, with a list of options.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    /// - Returns: The image and its layer; `.none` for a miss.
    /// - Throws: ``KingfisherError`` of the disk.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image only on disk.
    ///
    /// - Parameters:
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    /// - Returns: The image; nil for a miss.
    /// - Throws: ``KingfisherError`` of the disk.
    open func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await OnceCompletion.result(ifReleased: .success(nil)) {
            retrieveImageInDiskCache(forKey: key, options: options, completionHandler: $0)
        }.get()
    }

    /// Clears memory and disk.
    open func clearCache() async {
        guard !isSubclassed else { return await ending { clearCache(completion: $0) } }
        removals.noteAll()
        clearMemoryCache()
        await clearDiskCache()
    }

    /// Clears the disk.
    open func clearDiskCache() async {
        await ending { done in
            if isSubclassed {
                clearDiskCache(completion: done)
            } else {
                clearDisk(on: .untouch, then: done)
            }
        }
    }

    /// Removes expired images from memory and disk.
    open func cleanExpiredCache() async {
        guard !isSubclassed else { return await ending { cleanExpiredCache(completion: $0) } }
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes expired images from disk, then trims it to its size limit.
    ///
    /// Does not wait for `Notification.Name.KingfisherDidCleanDiskCache`.
    open func cleanExpiredDiskCache() async {
        await ending { done in
            if isSubclassed {
                cleanExpiredDiskCache(completion: done)
            } else {
                cleanDisk(on: .untouch, then: done)
            }
        }
    }

    /// Removes expired images from disk, as ``cleanExpiredDiskCache(completion:)`` does.
    ///
    /// Linux has no background task to do it in, so that this is for compatibility.
    public func backgroundCleanExpiredDiskCache() { cleanExpiredDiskCache(completion: nil) }

    /// The total size of the files on disk in bytes.
    open var diskStorageSize: UInt {
        get async throws {
            guard !isSubclassed else { return try await overriddenDiskSize() }
            return try await withCheckedThrowingContinuation { size in
                measureDisk(on: .untouch) { size.resume(with: $0) }
            }
        }
    }
}
