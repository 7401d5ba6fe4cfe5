public import Foundation
import Synchronization

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
    /// Posted on the main queue after cleaning has removed files from a disk cache.
    ///
    /// The object is the cache; the user info has the removed file names under
    /// ``KingfisherDiskCacheCleanedHashKey``.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache"
    )
}

// swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
/// The user info key of the removed file names, a `[String]`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

/// Images in memory and on disk.
///
/// `@unchecked`: the class is open; its parts are constants that are safe to share.
open class ImageCache: @unchecked Sendable {
    /// Computes the folder from a base folder and the name of the cache.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The shared cache, named "default".
    public static let `default` = ImageCache(name: "default")

    /// The memory layer.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>

    /// The disk layer.
    public let diskStorage: DiskStorage.Backend<Data>

    /// Reads and decodes; as wide as a disk has use for.
    let reader = WorkPool(label: "com.onevcat.Kingfisher.ImageCache.read", width: 4)
    private let cleaning = Mutex<RepeatingTimer?>(nil)

    /// Makes a cache of its two layers.
    ///
    /// The folder's index is read in the background at once, and expired files are removed every
    /// ten minutes.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>,
        diskStorage: DiskStorage.Backend<Data>
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        // So that the first lookup, which may be on the main thread, finds the index there.
        reader.submit(priority: 1) { diskStorage.open() }
        // Ten minutes: files live for days, and a sweep looks at the index alone.
        let timer = WallClock.system.every(600) { [weak self] in self?.cleanExpiredDiskCache() }
        cleaning.withLock { $0 = timer }
    }

    /// Makes a cache in the user's cache folder.
    ///
    /// Its files may take one gigabyte, or a twentieth of the free disk if that is less; a size
    /// limit of 0 in ``diskStorage``'s settings sets no limit.
    ///
    /// When its folder cannot be made, the cache works in memory alone, and every disk store fails
    /// with `diskStorageIsNotReady`.
    ///
    /// - Parameter name: Not empty; caches of one name share their files.
    public convenience init(name: String) {
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: DiskStorage.Backend(
                notThrowing: Self.diskConfig(name: name, directory: nil, pathClosure: nil)
            )
        )
    }

    /// Makes a cache in a folder.
    ///
    /// - Parameters:
    ///   - name: Not empty; caches of one name and folder share their files.
    ///   - cacheDirectoryURL: The base folder; nil for the user's cache folder.
    ///   - diskCachePathClosure: Computes the folder; unless given, `name` is put behind the base.
    /// - Throws: `cannotCreateDirectory` when the folder cannot be made.
    public convenience init(
        name: String,
        cacheDirectoryURL: URL?,
        diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        let config = Self.diskConfig(
            name: name,
            directory: cacheDirectoryURL,
            pathClosure: diskCachePathClosure
        )
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: try DiskStorage.Backend(config: config)
        )
    }

    private static func makeMemoryStorage() -> MemoryStorage.Backend<KFCrossPlatformImage> {
        MemoryStorage.Backend(
            config: MemoryStorage.Config(totalCostLimit: MemoryLimit.defaultCacheCost())
        )
    }

    private static func diskConfig(
        name: String,
        directory: URL?,
        pathClosure: DiskCachePathClosure?
    ) -> DiskStorage.Config {
        precondition(!name.isEmpty, "a cache needs a name, which is part of its folder's name")
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: directory)
        if let pathClosure { config.cachePathBlock = pathClosure }
        config.sizeLimit = UInt(DiskLimit.defaultBytes(directory: config.directoryURL.path))
        return config
    }

    // MARK: Storing

    /// Stores an image: in memory at once, on disk behind.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known; the serializer may want them.
    ///   - key: The key of the source, without a processor's identifier.
    ///   - options: Processor, serializer, expirations and callback queue are used.
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
        let entry = CacheEntryName(key: key, options: options)
        memoryStorage.store(
            value: image,
            forKey: entry.computedKey,
            expiration: options.memoryCacheExpiration
        )
        let finish: @Sendable (Result<(), KingfisherError>) -> Void = { result in
            guard let completionHandler else { return }
            let result = CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: result)
            options.callbackQueue.execute { completionHandler(result) }
        }
        guard toDisk else {
            finish(.success(()))
            return
        }
        let serializer = options.cacheSerializer
        let bytes: DiskWriteQueue.Bytes
        if let original, serializer is OriginalBytesSerializer {
            bytes = .ready(original)
        } else {
            // An encoded picture is smaller than its pixels; a tenth is what photos take.
            bytes = .made(estimate: original?.count ?? image.cacheCost / 10) {
                serializer.data(with: image, original: original)
            }
        }
        diskStorage.enqueue(bytes, as: entry, expiration: options.diskCacheExpiration) { result in
            finish(
                result.mapError { error in
                    guard case .unserializable = error else { return error.kingfisherError }
                    let reason = KingfisherError.CacheErrorReason.cannotSerializeImage(
                        image: image,
                        original: original,
                        serializer: serializer
                    )
                    return .cacheError(reason: reason)
                }
            )
        }
    }

    /// Stores bytes on disk alone.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - key: The key of the source.
    ///   - identifier: The processor's, empty for the default one.
    ///   - forcedExtension: An extension for the file's name.
    ///   - expiration: Nil for the storage's own.
    ///   - callbackQueue: Where the completion is called.
    ///   - completionHandler: Called when the bytes are stored.
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
        let finish: @Sendable (Result<(), KingfisherError>) -> Void = { result in
            guard let completionHandler else { return }
            let result = CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: result)
            callbackQueue.execute { completionHandler(result) }
        }
        diskStorage.enqueue(.ready(data), as: entry, expiration: expiration) { result in
            finish(result.mapError(\.kingfisherError))
        }
    }

    // MARK: Looking up

    /// The image in memory, if it is there; returns at once.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: CacheEntryName(key: key, options: options).computedKey,
            extendingExpiration: options.memoryCacheAccessExtendingExpiration
        )
    }

    /// Looks an image up in memory, then on disk; a disk hit is put into memory.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - options: Processor, serializer, expirations and disk flags are used.
    ///   - callbackQueue: Where the completion is called.
    ///   - completionHandler: Gets `.none` for a miss, which is no error. Without it nothing is
    ///     looked up.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        lookUp(
            key: key,
            options: options,
            isStillWanted: nil,
            callbackQueue: callbackQueue,
            completion: completionHandler
        )
    }

    /// Whether an image is cached, and in which layer; prolongs nothing and touches no disk.
    open func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        if memoryStorage.isCached(forKey: entry.computedKey) { return .memory }
        return diskStorage.holds(entry) ? .disk : .none
    }

    // MARK: Removing

    /// Removes an image: from memory at once, from disk behind.
    open func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        removeImage(
            CacheEntryName(key: key, identifier: identifier, forced: forcedExtension),
            fromMemory: fromMemory,
            fromDisk: fromDisk
        ) { _ in
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes every image from memory.
    public func clearMemoryCache() {
        memoryStorage.removeAll()
    }

    /// Removes every image from disk; the handler is called on the main queue, errors are ignored.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        diskStorage.queue.enqueueAlone { [diskStorage] in
            // The contract of this method: what cannot be removed stays, and the handler is called.
            try? diskStorage.removeAll()
            if let handler { DispatchQueue.main.async(execute: handler) }
        }
    }

    /// Removes expired images from memory at once.
    open func cleanExpiredMemoryCache() {
        memoryStorage.removeExpired()
    }

    /// Removes expired images from disk, then trims it to its size limit.
    ///
    /// Posts `Notification.Name.KingfisherDidCleanDiskCache` when anything was
    /// removed, then calls the handler, both on the main queue. The handler is always called.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        reader.submit(priority: 0) { [self] in
            // Cleaning that fails half way has removed what it could, and the rest goes next time.
            let expired = (try? diskStorage.removeExpiredValues()) ?? []
            let trimmed = (try? diskStorage.removeSizeExceededValues()) ?? []
            let names = (expired + trimmed).map(\.lastPathComponent)
            DispatchQueue.main.async { [self] in
                if !names.isEmpty {
                    NotificationCenter.default.post(
                        name: .KingfisherDidCleanDiskCache,
                        object: self,
                        userInfo: [KingfisherDiskCacheCleanedHashKey: names]
                    )
                }
                handler?()
            }
        }
    }
}
