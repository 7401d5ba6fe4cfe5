/// What came of a store.
public struct CacheStoreResult: Sendable {
    /// Always a success.
    public let memoryCacheResult: Result<(), Never>

    /// A success, or the error of the disk layer.
    public let diskCacheResult: Result<(), KingfisherError>

    /// Makes a result, as a stand-in for a cache does in tests.
    ///
    /// - Parameters:
    ///   - memoryCacheResult: Success is all there is.
    ///   - diskCacheResult: A success, or the error of the disk layer.
    public init(
        memoryCacheResult: Result<(), Never> = .success(()),
        diskCacheResult: Result<(), KingfisherError> = .success(())
    ) {
        self.memoryCacheResult = memoryCacheResult
        self.diskCacheResult = diskCacheResult
    }
}
