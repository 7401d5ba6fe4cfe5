/// What came of a store.
public struct CacheStoreResult: Sendable {
    /// Always a success.
    public let memoryCacheResult: Result<(), Never>

    /// A success, or the error of the disk layer.
    public let diskCacheResult: Result<(), KingfisherError>
}
