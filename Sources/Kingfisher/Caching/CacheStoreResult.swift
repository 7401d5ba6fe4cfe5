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
