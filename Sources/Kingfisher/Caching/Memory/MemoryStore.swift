import Foundation
import Synchronization

/// Objects in memory under a limit of cost and one of count, both of which hold after each store.
///
/// What stays is decided by S3-FIFO (Yang et al., "FIFO queues are all you need for cache
/// eviction", 2023): new entries wait in a small queue of a fifth of the cost; those that are read
/// there move to the main queue, the others leave, and come straight into the main queue if they
/// are wanted again soon. A read sets a counter and moves nothing, so it takes one short lock of a
/// sixteenth of the entries.
///
/// Evicted objects that somebody else keeps alive are still found.
///
/// It knows no types of its contents: a generic store would be compiled for callers in other
/// modules without knowing them either, where a hit takes six times as long.
final class MemoryStore: Sendable {
    /// The most that a store may hold.
    struct Limits: Sendable, Equatable {
        var cost: Int
        var count: Int = .max
    }

    /// An object that was found.
    struct Hit: Sendable {
        let object: StoredObject
        /// What was remembered about the object when it was stored.
        let tag: UInt8
    }

    // Sixteen: enough that two cores meet in one hit of thirty, few enough to sweep one by one.
    let shards = InlineArray<16, MemoryShard> { _ in MemoryShard() }
    /// The owner of order and sums.
    ///
    /// Taken before a shard's lock, never after.
    let queues: Mutex<MemoryQueues>
    let clock: WallClock
    /// Whether others may keep evicted objects alive, so that it is worth a weak reference.
    let remembersEvicted: Bool
    private let timer = Mutex<RepeatingTimer?>(nil)

    init(limits: Limits, clock: WallClock = .system, remembersEvicted: Bool = true) {
        queues = Mutex(MemoryQueues(costLimit: limits.cost, countLimit: limits.count))
        self.clock = clock
        self.remembersEvicted = remembersEvicted
    }

    // MARK: Reading

    /// Returns the object of a key that has one which is not expired.
    func object(for key: CacheKey, extending: ExpirationExtending = .cacheTime) -> StoredObject? {
        object(for: key.string, hash: key.hash, extending: extending)
    }

    /// As above, of a key's parts: to put them together would count one more reference to the
    /// string and one less, which takes as long as to find it.
    func object(
        for key: String,
        hash: Int,
        extending: ExpirationExtending
    ) -> StoredObject? {
        var tag: UInt8 = 0
        return find(key, hash: hash, extending: extending, tag: &tag)
    }

    /// Returns the object of a key with its tag.
    ///
    /// An expired object is a miss but stays until the next sweep.
    func hit(for key: CacheKey, extending: ExpirationExtending = .cacheTime) -> Hit? {
        var tag: UInt8 = 0
        return find(key.string, hash: key.hash, extending: extending, tag: &tag)
            .map { Hit(object: $0, tag: tag) }
    }

    // The tag is not in the result, for to take the object out of one is a reference more again.
    private func find(
        _ key: String,
        hash: Int,
        extending: ExpirationExtending,
        tag: inout UInt8
    ) -> StoredObject? {
        let now = clock.now()
        let (found, mayBeAlive) = shards[hash & 15].state.withLock {
            state -> (StoredObject?, Bool) in
            guard let place = state.place(of: key, hash: hash) else {
                if state.evicted.isEmpty {
                    state.absences += 1
                    return (nil, false)
                }
                let mayBeAlive = state.evicted[CacheKey(key, hash: hash)] != nil
                if !mayBeAlive { state.absences += 1 }
                return (nil, mayBeAlive)
            }
            guard state.entries[place].expiry > now else {
                state.staleReads += 1
                return (nil, false)
            }
            tag = state.entries[place].tag
            return (state.read(at: place, extending, now), false)
        }
        guard mayBeAlive else { return found }
        let revived = revive(CacheKey(key, hash: hash), extending: extending, at: now)
        tag = revived?.tag ?? 0
        return revived?.object
    }

    /// Whether a lookup would find an object; prolongs nothing.
    func contains(_ key: CacheKey) -> Bool {
        let now = clock.now()
        // The object comes out of the lock, for this reference may be its last by now.
        let (isValid, _) = shards[key.hash & 15].state.withLock { state -> (Bool, StoredObject?) in
            if let place = state.place(of: key) { return (state.entries[place].expiry > now, nil) }
            guard let evicted = state.evicted[key], let object = evicted.object else {
                return (false, nil)
            }
            return (evicted.expiry > now, object)
        }
        return isValid
    }

    // MARK: Sums

    /// The most that the store may hold; a change applies at once.
    var limits: Limits {
        get { queues.withLock { Limits(cost: $0.costLimit, count: $0.countLimit) } }
        set {
            let released = queues.withLock { queues in
                queues.costLimit = newValue.cost
                queues.countLimit = newValue.count
                return makeRoom(in: &queues, cost: 0, count: 0, sparing: nil)
            }
            release(released)
        }
    }

    /// The sum of the costs of the resident entries, expired ones included.
    var totalCost: Int { queues.withLock { $0.cost } }

    /// The number of the resident entries, expired ones included.
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

    /// Removes expired objects every so many seconds from now on, instead of as before.
    ///
    /// - Parameter interval: In seconds; one that is not a positive number ends the sweeping.
    func sweep(every interval: TimeInterval) {
        let next: RepeatingTimer? =
            if interval > 0, interval.isFinite {
                clock.every(interval) { [weak self] in self?.removeExpired() }
            } else {
                nil
            }
        // The old timer ends outside of the lock, with the last reference.
        let old = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        _ = old
    }

    /// Lets go of objects outside of every lock, because their end may run anybody's code.
    func release(_ objects: [StoredObject]) {}
}

extension MemoryShard.State {
    /// Counts a read, and prolongs as told.
    @inline(__always)
    fileprivate mutating func read(
        at place: Int,
        _ extending: ExpirationExtending,
        _ now: TimeInterval
    ) -> StoredObject {
        hits &+= 1
        let (object, expiry) = entries.withUnsafeMutableBufferPointer { entries in
            // What is not written stays in the caches of the other processors.
            if entries[place].reads < 3 { entries[place].reads += 1 }
            entries[place].extend(extending, at: now)
            return (entries[place].object, entries[place].expiry)
        }
        if expiry < soonestExpiry { soonestExpiry = expiry }
        return object
    }
}
