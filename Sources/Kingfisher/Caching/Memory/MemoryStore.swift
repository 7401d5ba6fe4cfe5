import Foundation
import Synchronization

/// Stores objects in memory, with a cost limit and a count limit that both hold after each store.
///
/// Evicts with S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", 2023). New
/// entries enter a small queue with a fifth of the cost. Entries that are read there move to the
/// main queue, others are evicted. An evicted entry that is stored again soon goes directly to the
/// main queue. A read only sets a counter, so it needs one short lock of a sixteenth of the
/// entries. While requests repeat in a loop that does not fit, a part of it is kept instead, see
/// ``LoopWatch``.
///
/// The objects evicted last can be found while they are referenced elsewhere.
///
/// No lock is held for more than ``batchSize`` entries: long work releases it and continues.
///
/// The store is not generic: a generic store would not be specialised for callers in other modules,
/// where a hit would take six times as long.
final class MemoryStore: Sendable {
    /// The limits of a store.
    struct Limits: Sendable, Equatable {
        var cost: Int
        var count: Int = .max
        /// See ``LoopWatch``.
        var noticesLoops = true
    }

    /// The result of a lookup.
    struct Hit: Sendable {
        let object: StoredObject
        /// The tag with which the object was stored.
        let tag: UInt8
    }

    // Sixteen: two cores collide in one of thirty hits, and sweeping one shard after another stays
    // fast.
    let shards = InlineArray<16, MemoryShard> { _ in MemoryShard() }
    /// The order and the totals.
    ///
    /// Locked before a shard, never after it.
    let queues: Mutex<MemoryQueues>
    let clock: WallClock
    /// Whether evicted objects may be referenced elsewhere, which makes weak references useful.
    let remembersEvicted: Bool
    private let timer = Mutex<RepeatingTimer?>(nil)
    /// The maximum number of entries examined under the lock; an eighth of a millisecond of work.
    static let batchSize = 128

    init(limits: Limits, clock: WallClock = .system, remembersEvicted: Bool = true) {
        queues = Mutex(MemoryQueues(limits))
        self.clock = clock
        self.remembersEvicted = remembersEvicted
    }

    // MARK: Reading

    /// Returns the object of a key, unless it is missing or expired.
    func object(for key: CacheKey, extending: ExpirationExtending = .cacheTime) -> StoredObject? {
        object(for: key.string, hash: key.hash, division: key.division, extending: extending)
    }

    /// As above, with the parts of a key: making a key would retain and release the string, which
    /// takes as long as the lookup.
    func object(
        for key: String,
        hash: Int,
        division: KeyDivision,
        extending: ExpirationExtending
    ) -> StoredObject? {
        var tag: UInt8 = 0
        return find(key, hash: hash, division: division, extending: extending, tag: &tag)
    }

    /// Returns the object of a key with its tag.
    ///
    /// An expired object is a miss but stays until the next sweep.
    func hit(
        for key: CacheKey,
        extending: ExpirationExtending = .cacheTime,
        countsMisses: Bool = true
    ) -> Hit? {
        var tag: UInt8 = 0
        return find(
            key.string,
            hash: key.hash,
            division: key.division,
            extending: extending,
            countsMisses: countsMisses,
            tag: &tag
        ).map { Hit(object: $0, tag: tag) }
    }

    // The tag is an `inout` parameter, because taking the object out of a result would retain it
    // again.
    private func find(
        _ key: String,
        hash: Int,
        division: KeyDivision,
        extending: ExpirationExtending,
        countsMisses: Bool = true,
        tag: inout UInt8
    ) -> StoredObject? {
        let now = clock.now()
        let (found, mayBeAlive) = shards[hash & 15].state.withLock {
            state -> (StoredObject?, Bool) in
            guard let place = state.place(of: key, hash: hash) else {
                if state.evicted.isEmpty {
                    if countsMisses { state.absences += 1 }
                    return (nil, false)
                }
                let mayBeAlive = state.evicted[CacheKey(key, hash: hash, division: division)] != nil
                if !mayBeAlive, countsMisses { state.absences += 1 }
                return (nil, mayBeAlive)
            }
            guard state.entries[place].key.division.matches(division) else {
                if countsMisses { state.absences += 1 }
                return (nil, false)
            }
            guard state.entries[place].expiry > now else {
                if countsMisses { state.staleReads += 1 }
                return (nil, false)
            }
            tag = state.entries[place].tag
            return (state.read(at: place, extending, now), false)
        }
        guard mayBeAlive else { return found }
        let key = CacheKey(key, hash: hash, division: division)
        let revived = revive(key, extending: extending, at: now)
        tag = revived?.tag ?? 0
        return revived?.object
    }

    /// Whether a lookup would find an object; extends no expiration.
    func contains(_ key: CacheKey) -> Bool {
        let now = clock.now()
        // The object is returned from the lock, because this may be its last reference.
        let (isValid, _) = shards[key.hash & 15].state.withLock { state -> (Bool, StoredObject?) in
            if let entry = state.entry(of: key) {
                return (entry.expiry > now && entry.key.division.matches(key.division), nil)
            }
            guard let evicted = state.evicted[key], evicted.division.matches(key.division),
                let object = evicted.object
            else { return (false, nil) }
            return (evicted.expiry > now, object)
        }
        return isValid
    }

    // MARK: Totals

    /// The limits; a change applies immediately.
    var limits: Limits {
        get {
            queues.withLock {
                Limits(cost: $0.costLimit, count: $0.countLimit, noticesLoops: $0.loops != nil)
            }
        }
        set {
            queues.withLock { queues in
                queues.costLimit = newValue.cost
                queues.countLimit = newValue.count
                if newValue.noticesLoops != (queues.loops != nil) {
                    queues.loops = newValue.noticesLoops ? LoopWatch() : nil
                }
            }
            inBatches { queues, eviction in
                makeRoom(in: &queues, cost: 0, count: 0, replacing: nil, &eviction)
            }
        }
    }

    /// The total cost of the stored entries, including expired ones.
    var totalCost: Int { queues.withLock { $0.cost } }

    /// The number of stored entries, including expired ones.
    var count: Int { queues.withLock { $0.count } }

    /// A snapshot of the counters.
    var statistics: MemoryStatistics {
        var statistics = queues.withLock { queues in
            var statistics = queues.statistics
            statistics.cost = queues.cost
            statistics.count = queues.count
            return statistics
        }
        for shard in shards.indices {
            shards[shard].state.withLock { state in
                statistics.hits += state.hits
                statistics.absences += state.absences
                statistics.staleReads += state.staleReads
            }
        }
        return statistics
    }

    // MARK: Sweeping

    /// Removes expired objects every `interval` seconds, replacing the previous schedule.
    ///
    /// - Parameter interval: In seconds; a value that is not positive and finite stops the
    ///   sweeping.
    func sweep(every interval: TimeInterval) {
        let next: RepeatingTimer? =
            if interval > 0, interval.isFinite {
                clock.every(interval) { [weak self] in self?.removeExpired() }
            } else {
                nil
            }
        // The old timer is released outside the lock.
        let old = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        _ = old
    }
}

extension MemoryShard.State {
    /// Counts a read and extends the expiration as requested.
    @inline(__always)
    fileprivate mutating func read(
        at place: Int,
        _ extending: ExpirationExtending,
        _ now: TimeInterval
    ) -> StoredObject {
        hits &+= 1
        let (object, expiry) = entries.withUnsafeMutableBufferPointer { entries in
            // Skipping unneeded writes keeps the cache line valid for other processors.
            if entries[place].reads < 3 { entries[place].reads += 1 }
            entries[place].extend(extending, at: now)
            return (entries[place].object, entries[place].expiry)
        }
        if expiry < soonestExpiry { soonestExpiry = expiry }
        return object
    }
}

extension MemoryStore {
    /// The state of a key; does not count as an access.
    func finding(for key: CacheKey) -> StoreFinding {
        let now = clock.now()
        let found = shards[key.hash & 15].state.withLock { state in
            state.place(of: key).map { (state.entries[$0].key.division, state.entries[$0].expiry) }
        }
        if let (division, expiry) = found {
            guard division.matches(key.division) else { return .unknown }
            return expiry > now ? .valid(expiry - now) : .expired(now - expiry)
        }
        return queues.withLock { $0.ghosts.remembers(key.hash) } ? .evicted : .unknown
    }
}
