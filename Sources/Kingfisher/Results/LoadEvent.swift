/// Something that happened in a load.
public struct LoadEvent: Sendable {
    /// A part of a load that takes time.
    public enum Stage: String, Sendable, CaseIterable {
        /// Looking for the image in the caches.
        case lookup
        /// Getting the bytes.
        case fetch
        /// Decoding and processing.
        case process
        /// Storing.
        case store
    }

    /// What happened.
    public enum Kind: Sendable {
        /// The load began.
        case started
        /// A stage began.
        case began(Stage)
        /// A stage ended, well or not.
        case ended(Stage)
        /// A layer has the image.
        case hit(CacheType)
        /// A layer does not have the image.
        case miss(CacheType, CacheMissReason)
        /// Another attempt begins, with this source, because of this error.
        case restarted(Source, because: KingfisherError)
        /// The load ended with an image from here.
        case succeeded(CacheType)
        /// The load ended without an image.
        case failed(KingfisherError)
    }

    /// Different for every load of the process.
    public let load: UInt64
    /// The key of the source that was asked for.
    public let key: String
    /// The identifier of the processor, empty for the default one.
    public let processor: String
    /// The time since the process's first observed load.
    public let time: Duration
    /// What happened.
    public let kind: Kind
}
