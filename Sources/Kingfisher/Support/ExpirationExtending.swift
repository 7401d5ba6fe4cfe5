/// How a read extends the expiration of a cached value.
public enum ExpirationExtending: Sendable {
    /// The read does not change the expiration.
    case none
    /// The value's own expiration starts again at the time of the read.
    case cacheTime
    /// The given expiration starts at the time of the read.
    case expirationTime(_ expiration: StorageExpiration)
}
