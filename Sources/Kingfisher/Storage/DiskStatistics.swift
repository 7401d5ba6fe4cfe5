/// What a disk store has done since it was opened, and what it holds now.
struct DiskStatistics: Sendable, Equatable {
    /// Lookups that gave bytes.
    var hits = 0
    /// Lookups that gave none, an expired entry included.
    var misses = 0
    var stores = 0
    /// Entries that were removed by hand or because they had expired.
    var removals = 0
    /// Entries that were removed because the size was over the limit.
    var trimmed = 0
    /// Entries that were deleted because their bytes were not those that had been stored.
    var damaged = 0
    /// Files without an entry that were taken in when the store was opened.
    var adopted = 0
    /// How often the index was made anew because its log was missing or damaged.
    var rebuilds = 0
    /// The sum of the sizes of the entries, in bytes.
    var size = 0
    /// The number of the entries.
    var count = 0
}
