/// The result of a lookup.
public enum ImageCacheResult: Sendable {
    /// An image found on disk.
    case disk(KFCrossPlatformImage)
    /// An image found in memory.
    case memory(KFCrossPlatformImage)
    /// No image.
    case none

    /// The image, if one was found.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// The layer in which the image was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// The result of storing an image.
public struct CacheStoreResult: Sendable {
    /// Always a success, since storing in memory cannot fail.
    public let memoryCacheResult: Result<(), Never>

    /// Success, or the error of the disk storage.
    public let diskCacheResult: Result<(), KingfisherError>

    /// Makes a result; tests use it in place of a cache.
    ///
    /// - Parameters:
    ///   - memoryCacheResult: Always success.
    ///   - diskCacheResult: Success, or the error of the disk storage.
    public init(
        memoryCacheResult: Result<(), Never> = .success(()),
        diskCacheResult: Result<(), KingfisherError> = .success(())
    ) {
        self.memoryCacheResult = memoryCacheResult
        self.diskCacheResult = diskCacheResult
    }
}
