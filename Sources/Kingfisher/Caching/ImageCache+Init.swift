public import Foundation
import Synchronization

extension ImageCache {
    /// Computes the folder from a base folder and the name of the cache.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The shared cache, named "default".
    public static let `default` = ImageCache(name: "default")

    /// Makes a cache in the user's cache folder.
    ///
    /// Its size limit on disk is one gigabyte, or a twentieth of the free space if that is less, at
    /// least 10 MB; set the limit to 0 in ``diskStorage``'s settings for no limit.
    ///
    /// While its folder cannot be created, the cache works only in memory and storing on disk fails
    /// with `diskStorageIsNotReady`. Each store to and read from disk retries.
    ///
    /// - Parameter name: The name; traps if empty. Caches with the same name share their files.
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
    ///   - name: The name; traps if empty. Caches with the same name and folder share their files.
    ///   - cacheDirectoryURL: The base folder; nil for the user's cache folder.
    ///   - diskCachePathClosure: Computes the folder; by default a subfolder of the base folder
    ///     named after the cache.
    /// - Throws: `cannotCreateDirectory` if the folder cannot be created.
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

    /// Makes a cache that keeps images only in memory.
    ///
    /// Use it with ``KingfisherOptionsInfoItem/cacheMemoryOnly``; storing on disk fails with
    /// `diskStorageIsNotReady`, which loads only log.
    ///
    /// - Parameter memoryLimit: The largest total size of the images in memory, in bytes.
    public convenience init(memoryLimit: Int) {
        // No folder can be created there. Storages of one folder share pending writes, so that each
        // cache needs a name of its own.
        let nowhere = URL(fileURLWithPath: "/dev/null", isDirectory: true)
        let number = Self.lastMemoryCache.wrappingAdd(1, ordering: .relaxed).newValue
        self.init(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: memoryLimit)),
            diskStorage: DiskStorage.Backend(
                notThrowing: DiskStorage.Config(
                    name: "none-\(number)",
                    sizeLimit: 0,
                    directory: nowhere
                )
            )
        )
    }

    private static let lastMemoryCache = Atomic<UInt64>(0)

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
}
