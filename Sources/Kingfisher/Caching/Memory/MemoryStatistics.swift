/// What the memory layer of a cache has done since it was made, and what it holds now.
///
/// The numbers of one snapshot belong to about the same moment: others may use the layer while it
/// is taken.
public struct MemoryStatistics: Sendable, Equatable {
    /// Lookups that gave a value.
    public internal(set) var hits = 0
    /// Those of the hits whose value had been evicted but was still alive elsewhere, on a screen
    /// for example.
    public internal(set) var revivals = 0
    /// Lookups of keys that had no value, because it never came or had to leave.
    public internal(set) var absences = 0
    /// Lookups of keys whose value had expired and was not swept yet.
    public internal(set) var staleReads = 0
    /// Values that left because the costs were over the limit.
    public internal(set) var evictedForCost = 0
    /// Values that left because there were too many of them.
    public internal(set) var evictedForCount = 0
    /// Values that left because the system ran short of memory.
    public internal(set) var evictedForPressure = 0
    /// Values that left because they had expired.
    public internal(set) var expired = 0
    /// Values that were not taken in because one alone exceeds a limit.
    public internal(set) var oversized = 0
    /// The sum of the costs of the resident values, in bytes.
    public internal(set) var cost = 0
    /// The number of the resident values.
    public internal(set) var count = 0

    /// Lookups that gave no value.
    public var misses: Int { absences + staleReads }
    /// Values that left to make room.
    public var evictions: Int { evictedForCost + evictedForCount + evictedForPressure }

    init() {}
}
