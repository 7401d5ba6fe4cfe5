/// What reading a cached value does to its expiration.
public enum ExpirationExtending: Sendable {
    /// The value expires when it would have expired without the read.
    case none
    /// The value's own rule starts again at the time of the read.
    case cacheTime
    /// Another rule starts at the time of the read.
    case expirationTime(_ expiration: StorageExpiration)
}
