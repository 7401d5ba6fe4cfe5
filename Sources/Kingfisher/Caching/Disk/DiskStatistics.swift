/// Statistics of a cache's disk storage since its folder was opened, and its current contents.
///
/// Each process counts its own operations; ``size`` and ``count`` refer to the folder.
public struct DiskStatistics: Sendable, Equatable {
    /// Lookups that returned bytes.
    public internal(set) var hits = 0
    /// Lookups of keys without an entry.
    public internal(set) var absences = 0
    /// Lookups of expired entries.
    public internal(set) var staleReads = 0
    /// Lookups of entries whose file was missing or had changed.
    public internal(set) var damagedReads = 0
    /// Lookups of entries whose file could not be read.
    public internal(set) var unreadable = 0
    /// Stored entries.
    public internal(set) var stores = 0
    /// Entries removed by a call.
    public internal(set) var removals = 0
    /// Entries removed because they had expired.
    public internal(set) var expired = 0
    /// Entries removed because of the size limit.
    public internal(set) var trimmed = 0
    /// Entries deleted because their bytes had changed or could not be verified.
    public internal(set) var damaged = 0
    /// Files without an entry that were added to the index when the folder was opened.
    public internal(set) var adopted = 0
    /// How often the index was rebuilt because its log was missing or damaged.
    public internal(set) var rebuilds = 0
    /// The total size of the entries in bytes.
    public internal(set) var size = 0
    /// The number of entries.
    public internal(set) var count = 0

    /// Lookups that returned no bytes.
    public var misses: Int { absences + staleReads + damagedReads + unreadable }

    init() {}
}
