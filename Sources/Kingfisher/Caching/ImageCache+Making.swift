public import Foundation

extension ImageCache {
    /// Computes the folder from a base folder and the name of the cache.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The shared cache, named "default".
    public static let `default` = ImageCache(name: "default")

    /// Makes a cache in the user's cache folder.
    ///
    /// Its files may take one gigabyte, or a twentieth of the free disk if that is less; a size
    /// limit of 0 in ``diskStorage``'s settings sets no limit.
    ///
    /// As long as its folder cannot be made, the cache works in memory alone, and every disk store
    /// fails with `diskStorageIsNotReady`. Each store and each read of the disk tries again.
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
}
