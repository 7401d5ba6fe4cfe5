/// How a cache uses its ``SharedImageStorage``.
///
/// The defaults suit a storage in the same data centre.
public struct SharedStorageSettings: Sendable, Hashable {
    /// The longest wait for each response of the storage; by default 100 ms.
    ///
    /// A load whose request takes longer continues without the storage and does not ask it again.
    public var timeout: Duration = .milliseconds(100)

    /// The longest wait for each request that stores or removes entries; nil for ``timeout``.
    ///
    /// These are sent in the background, where a storage may take longer. With a value, their
    /// failures are counted apart from those of lookups.
    public var writeTimeout: Duration?

    /// After this number of failures and time-outs in a row, the storage is paused; by default 3.
    public var failuresBeforePause = 3

    /// How long a paused storage is not asked; by default 5 s.
    ///
    /// A single request then tests it. Its success ends the pause, its failure starts another one.
    public var pause: Duration = .seconds(5)

    /// The largest file that is stored, in bytes; by default 8 MiB.
    ///
    /// Larger values are ignored when read, too.
    public var largestEntry = 8 << 20

    /// The longest time that an entry is stored; by default 7 days.
    ///
    /// An entry that expires earlier on disk expires earlier here too.
    public var timeToLive: Duration = .seconds(7 * 86_400)

    /// How long one machine may take to load and process an image while others wait; by default
    /// 15 s.
    ///
    /// If the machine fails, the others are blocked for no longer than this and ``leaseWait``.
    public var leaseDuration: Duration = .seconds(15)

    /// How long a load waits for an image that another machine is making; by default 5 s.
    ///
    /// It then makes the image itself. With 0 no machine waits and no leases are used.
    public var leaseWait: Duration = .seconds(5)

    /// The maximum number of bytes that wait to be sent; by default 64 MiB.
    ///
    /// Further entries are not sent.
    public var pendingBytes = 64 << 20

    /// Makes settings with the default values.
    public init() {}
}

/// Counts of the uses that a cache has made of its ``SharedImageStorage``.
public struct SharedStorageStatistics: Sendable, Hashable {
    /// The entries that were found.
    public internal(set) var hits = 0
    /// The entries that were not found, including ``damaged``.
    public internal(set) var misses = 0
    /// The lookups that failed, took too long, or were skipped during a pause.
    public internal(set) var unavailable = 0
    /// The values that were not valid entries of their names.
    public internal(set) var damaged = 0
    /// The entries that were sent.
    public internal(set) var stores = 0
    /// The entries that were not sent, or whose request failed: because too many bytes were
    /// pending, or because the storage failed or was paused.
    public internal(set) var droppedStores = 0
    /// The entries that were not sent because of their size.
    public internal(set) var oversized = 0
    /// The removals that were not sent, because thousands were pending, or not announced to other
    /// machines, because no message could be made; these images may come back.
    public internal(set) var droppedRemovals = 0
    /// The leases that this machine acquired.
    public internal(set) var leases = 0
    /// The images that another machine made while loads of this machine waited.
    public internal(set) var madeElsewhere = 0
    /// The waits that ended without an image.
    public internal(set) var fruitlessWaits = 0
    /// The entries that were removed because another machine removed them.
    public internal(set) var invalidations = 0
    /// Whether the storage is paused after failures.
    public internal(set) var isPaused = false

    /// Makes statistics of nothing.
    public init() {}
}

extension Duration {
    /// The length in seconds, from a millisecond to thirty years: timers accept nothing else.
    var inBoundedSeconds: Double { min(max(inSeconds, 0.001), 1e9) }
}
