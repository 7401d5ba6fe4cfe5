import Foundation
import Synchronization

/// The type of the objects in a memory store: any class.
@usableFromInline typealias StoredObject = any AnyObject & Sendable

/// One object in memory and its bookkeeping.
struct MemoryEntry {
    let key: CacheKey
    var object: StoredObject
    /// In seconds since the reference date.
    var expiry: TimeInterval
    /// The expiration with which the object was stored, for reads that restart it.
    var rule: StorageExpiration
    /// A value of the caller stored with the object.
    var tag: UInt8
    /// An object of the caller stored with the object.
    var note: StoredObject?
    var isInMain = false
    /// The number of reads since the entry was last examined for eviction, at most 3.
    var reads: UInt8 = 0
    /// The time of the store in requests, see ``LoopWatch/now``.
    var storedAt: UInt32 = 0
    /// The cost when the object was stored.
    var cost: Int
    /// Distinguishes the entry from an earlier one of the same key in the queues.
    var ticket: UInt64 = 0

    /// Whether nothing else refers to the object now.
    var isOnlyReference: Bool {
        mutating get {
            withUnsafeMutablePointer(to: &object) { object in
                object.withMemoryRebound(to: AnyObject.self, capacity: 1) {
                    isKnownUniquelyReferenced(&$0.pointee)
                }
            }
        }
    }

    @inline(__always)
    mutating func extend(_ extending: ExpirationExtending, at now: TimeInterval) {
        switch extending {
        case .none: break
        case .cacheTime: expiry = rule.expiry(from: now)
        case .expirationTime(let other): expiry = other.expiry(from: now)
        }
    }
}

/// One of the sixteen parts of a memory store, which reduce lock contention.
struct MemoryShard: ~Copyable, Sendable {
    struct State {
        // Contiguous, with a hash index.
        var entries: ContiguousArray<MemoryEntry> = []
        private var index = HashIndex()
        var evicted = EvictedObjects()
        /// A lower bound of the expirations: before it a sweep finds nothing.
        var soonestExpiry = TimeInterval.infinity
        var hits = 0
        /// Lookups of keys without an object.
        var absences = 0
        /// Lookups of keys with an expired object.
        var staleReads = 0
    }

    let state = Mutex(State())
    // Two cache lines, so that adjacent shards do not slow each other down by false sharing.
    private let distance = InlineArray<16, Int>(repeating: 0)
}

extension MemoryShard.State {
    /// Returns the position of a key in ``entries``; valid until the next change.
    func place(of key: CacheKey) -> Int? { place(of: key.string, hash: key.hash) }

    @inline(__always)
    func place(of key: String, hash: Int) -> Int? {
        entries.withUnsafeBufferPointer { entries in
            index.place(of: hash) { entries[$0].key.string == key }
        }
    }

    /// The position of the entry that was put into a queue; nil if it was removed or replaced.
    ///
    /// Compares numbers, because comparing texts would read memory that is not in the processor's
    /// caches.
    func place(of item: MemoryQueues.Item) -> Int? {
        entries.withUnsafeBufferPointer { entries in
            index.place(of: item.hash) { entries[$0].ticket == item.ticket }
        }
    }

    func entry(of key: CacheKey) -> MemoryEntry? { place(of: key).map { entries[$0] } }

    /// Replaces the entry of the same key, and returns the previous one.
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

    /// Removes the entry at a position; the last entry takes its place.
    mutating func remove(at place: Int) -> MemoryEntry {
        index.remove(entries[place].key.hash, place: place)
        var last = entries.removeLast()
        if place == entries.count { return last }
        index.move(last.key.hash, from: entries.count, to: place)
        swap(&entries[place], &last)
        return last
    }
}
