/// The outcome of a load's request to the ``SharedImageStorage`` of its cache.
public enum SharedStorageAnswer: String, Sendable, CaseIterable {
    /// The storage has the image.
    case hit
    /// The storage does not have the image.
    case miss
    /// The storage failed, took too long, or is paused; the load continues without it.
    case unavailable
    /// Other machines wait for this one to make the image.
    case granted
    /// Another machine made the image while this load waited.
    case madeElsewhere
    /// The load makes the image without a lease: there is none, or another machine took too long.
    case notGranted
}

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
        /// The storage that machines share was asked, which took this time.
        ///
        /// Its hits are reported as hits of the disk too.
        case sharedStorage(SharedStorageAnswer, took: Duration)
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
