/// Statistics of a cache's memory storage since it was made, and its current contents.
///
/// The numbers of a snapshot are not taken atomically, because the storage may be used meanwhile.
public struct MemoryStatistics: Sendable, Equatable {
    /// Lookups that returned a value.
    public internal(set) var hits = 0
    /// The hits whose value had been evicted but was still referenced elsewhere, for example by a
    /// view.
    public internal(set) var revivals = 0
    /// Lookups of keys without a value, never stored or evicted.
    public internal(set) var absences = 0
    /// Lookups of expired values that were not removed yet.
    public internal(set) var staleReads = 0
    /// Values evicted because of the cost limit.
    public internal(set) var evictedForCost = 0
    /// Values evicted because of the count limit.
    public internal(set) var evictedForCount = 0
    /// Values evicted because of memory pressure.
    public internal(set) var evictedForPressure = 0
    /// Values removed because they had expired.
    public internal(set) var expired = 0
    /// Values not stored because they exceed the limit on their own.
    public internal(set) var oversized = 0
    /// The total cost of the stored values in bytes.
    public internal(set) var cost = 0
    /// The number of stored values.
    public internal(set) var count = 0

    /// Lookups that returned no value.
    public var misses: Int { absences + staleReads }
    /// Values evicted to make room.
    public var evictions: Int { evictedForCost + evictedForCount + evictedForPressure }

    init() {}
}
