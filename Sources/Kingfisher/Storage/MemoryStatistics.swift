/// What a memory store has done since it was made, and what it holds now.
struct MemoryStatistics: Sendable, Equatable {
    /// Lookups that gave a value.
    var hits = 0
    /// Those of the hits whose value had been evicted but was still alive elsewhere.
    var revivals = 0
    /// Lookups that gave none, an expired one included.
    var misses = 0
    /// Entries that left because the costs were over the limit.
    var evictedForCost = 0
    /// Entries that left because there were too many of them.
    var evictedForCount = 0
    /// Entries that left because they had expired.
    var expired = 0
    /// Values that were not taken in because one alone exceeds a limit.
    var oversized = 0
    /// The sum of the costs of the resident entries.
    var cost = 0
    /// The number of resident entries.
    var count = 0
}
