import Foundation
import Synchronization

/// What a memory store holds: a reference to an object of any class.
@usableFromInline typealias StoredObject = any AnyObject & Sendable

/// One object in memory and its bookkeeping.
struct MemoryEntry {
    let key: CacheKey
    var object: StoredObject
    /// Seconds since the reference date.
    var expiry: TimeInterval
    /// The rule under which the object was stored, for reads that start it again.
    var rule: StorageExpiration
    /// What the caller wants remembered about the object.
    var tag: UInt8
    /// More that the caller wants remembered, as an object.
    var note: StoredObject?
    var isInMain = false
    /// Reads since the entry was last looked at for eviction, at most 3.
    var reads: UInt8 = 0
    /// Taken when the object was stored.
    var cost: Int
    /// Distinguishes the entry from an earlier one of the same key in the queues.
    var ticket: UInt64 = 0

    @inline(__always)
    mutating func extend(_ extending: ExpirationExtending, at now: TimeInterval) {
        switch extending {
        case .none: break
        case .cacheTime: expiry = rule.expiry(from: now)
        case .expirationTime(let other): expiry = other.expiry(from: now)
        }
    }
}

/// An evicted object that may still be alive elsewhere, on a screen for example.
struct EvictedEntry {
    weak var object: StoredObject?
    let cost: Int
    let tag: UInt8
    let note: StoredObject?
    let rule: StorageExpiration
    let expiry: TimeInterval
}

/// One of the sixteen parts of a memory store, so that threads seldom wait for each other.
struct MemoryShard: ~Copyable, Sendable {
    struct State {
        // Without holes, and an index into it.
        var entries: ContiguousArray<MemoryEntry> = []
        private var index = HashIndex()
        var evicted: [CacheKey: EvictedEntry] = [:]
        /// Not later than the first expiry among the entries: before it a sweep has nothing to do.
        var soonestExpiry = TimeInterval.infinity
        var hits = 0
        /// Lookups of keys that had nothing.
        var absences = 0
        /// Lookups of keys whose object had expired.
        var staleReads = 0
    }

    let state = Mutex(State())
    // Two lines of a processor's cache: shards side by side would make threads wait for each other.
    private let distance = InlineArray<16, Int>(repeating: 0)
}

extension MemoryShard.State {
    /// Returns the place of a key in ``entries``; valid until the next change.
    func place(of key: CacheKey) -> Int? { place(of: key.string, hash: key.hash) }

    @inline(__always)
    func place(of key: String, hash: Int) -> Int? {
        entries.withUnsafeBufferPointer { entries in
            index.place(of: hash) { entries[$0].key.string == key }
        }
    }

    func entry(of key: CacheKey) -> MemoryEntry? { place(of: key).map { entries[$0] } }

    /// Puts an entry in the place of the one of its key, which it returns.
    mutating func put(_ entry: MemoryEntry) -> MemoryEntry? {
        soonestExpiry = min(soonestExpiry, entry.expiry)
        guard let place = place(of: entry.key) else {
            index.insert(entry.key.hash, place: entries.count)
            entries.append(entry)
            return nil
        }
        let old = entries[place]
        entries[place] = entry
        return old
    }

    mutating func remove(_ key: CacheKey) -> MemoryEntry? {
        place(of: key).map { remove(at: $0) }
    }

    /// Removes the entry at a place; the last one takes it.
    mutating func remove(at place: Int) -> MemoryEntry {
        index.remove(entries[place].key.hash, place: place)
        let last = entries.count - 1
        if place != last {
            index.move(entries[last].key.hash, from: last, to: place)
            entries.swapAt(place, last)
        }
        return entries.removeLast()
    }

    // MARK: Evicted entries

    /// Keeps a weak reference to the object of an entry that is evicted now.
    ///
    /// - Returns: See ``forgetDead()``.
    mutating func remember(_ entry: MemoryEntry) -> [StoredObject] {
        // Twice as many dead references as entries are swept out: O(1) per eviction, amortised.
        let living = evicted.count > 2 * entries.count + 32 ? forgetDead() : []
        evicted[entry.key] = EvictedEntry(
            object: entry.object,
            cost: entry.cost,
            tag: entry.tag,
            note: entry.note,
            rule: entry.rule,
            expiry: entry.expiry
        )
        return living
    }

    /// Forgets evicted objects that are not alive any more.
    ///
    /// - Returns: The living objects, to be released outside of the lock: this may be the last
    ///   reference to one of them, and its end may call the store.
    mutating func forgetDead() -> [StoredObject] {
        var living: [StoredObject] = []
        evicted = evicted.filter { _, entry in
            guard let object = entry.object else { return false }
            living.append(object)
            return true
        }
        return living
    }
}
