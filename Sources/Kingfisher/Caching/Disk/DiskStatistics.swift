/// What the disk layer of a cache has done since its folder was opened, and what it holds now.
///
/// Other processes count what they do for themselves; ``size`` and ``count`` are of the folder.
public struct DiskStatistics: Sendable, Equatable {
    /// Lookups that gave bytes.
    public internal(set) var hits = 0
    /// Lookups of keys that had no entry.
    public internal(set) var absences = 0
    /// Lookups of keys whose entry had expired.
    public internal(set) var staleReads = 0
    /// Lookups of entries whose file was gone, or had other bytes than were stored.
    public internal(set) var damagedReads = 0
    /// Lookups of entries whose file could not be read just then.
    public internal(set) var unreadable = 0
    /// Entries that were stored.
    public internal(set) var stores = 0
    /// Entries that were removed by hand.
    public internal(set) var removals = 0
    /// Entries that were removed because they had expired.
    public internal(set) var expired = 0
    /// Entries that were removed because the size was over the limit.
    public internal(set) var trimmed = 0
    /// Entries that were deleted because their bytes were not those that had been stored, or
    /// because nothing proved what they were.
    public internal(set) var damaged = 0
    /// Files without an entry that were taken in when the folder was opened.
    public internal(set) var adopted = 0
    /// How often the index was made anew because its log was missing or damaged.
    public internal(set) var rebuilds = 0
    /// The sum of the sizes of the entries, in bytes.
    public internal(set) var size = 0
    /// The number of the entries.
    public internal(set) var count = 0

    /// Lookups that gave no bytes.
    public var misses: Int { absences + staleReads + damagedReads + unreadable }

    init() {}
}
