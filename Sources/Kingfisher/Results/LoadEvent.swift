/// An event of a load.
public struct LoadEvent: Sendable {
    /// A stage of a load.
    public enum Stage: String, Sendable, CaseIterable {
        /// The lookup in the caches.
        case lookup
        /// Downloading, or reading from a provider.
        case fetch
        /// Decoding and processing.
        case process
        /// Storing in the caches.
        case store
    }

    /// The kind of an event.
    public enum Kind: Sendable {
        /// The load began.
        case started
        /// A stage began.
        case began(Stage)
        /// A stage ended, successfully or not.
        case ended(Stage)
        /// A layer has the image.
        case hit(CacheType)
        /// A layer does not have the image.
        case miss(CacheType, CacheMissReason)
        /// Another attempt starts with this source because of this error.
        case restarted(Source, because: KingfisherError)
        /// The load succeeded; the value is the image's origin.
        case succeeded(CacheType)
        /// The load failed.
        case failed(KingfisherError)
    }

    /// A number that identifies the load within the process.
    public let load: UInt64
    /// The key of the requested source.
    public let key: String
    /// The identifier of the processor; empty for the default one.
    public let processor: String
    /// The time since the first observed load of the process.
    public let time: Duration
    /// The kind of the event.
    public let kind: Kind
}
