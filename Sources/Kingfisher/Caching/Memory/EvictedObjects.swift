import Foundation

/// An evicted object that may still be referenced elsewhere, for example by a view.
struct EvictedEntry {
    fileprivate let key: CacheKey
    weak var object: StoredObject?
    let cost: Int
    let tag: UInt8
    fileprivate(set) var note: StoredObject?
    let rule: StorageExpiration
    let expiry: TimeInterval
    /// Whether it was removed, and its place waits to be used again.
    fileprivate var isForgotten = false

    var division: KeyDivision { key.division }

    fileprivate init(_ entry: MemoryEntry) {
        key = entry.key
        object = entry.object
        cost = entry.cost
        tag = entry.tag
        note = entry.note
        rule = entry.rule
        expiry = entry.expiry
    }
}

/// The objects that one shard of a memory store evicted last.
///
/// Each operation examines a constant number of objects, so that evicting a million entries takes
/// as long for each as evicting one.
struct EvictedObjects {
    /// The maximum number of objects; the oldest is forgotten first.
    ///
    /// All shards together have sixteen times as many: more than views show at a time.
    static let capacity = 1_024

    /// A ring, once it is full.
    private var entries: ContiguousArray<EvictedEntry> = []
    private var index = HashIndex()
    private var oldest = 0
    private var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(key: CacheKey) -> EvictedEntry? { place(of: key).map { entries[$0] } }

    private func place(of key: CacheKey) -> Int? {
        index.place(of: key.hash) { entries[$0].key == key }
    }

    mutating func remove(_ key: CacheKey) {
        if let place = place(of: key) { forget(at: place) }
    }

    /// Keeps a weak reference to the object of an evicted entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - released: Receives objects to release outside the lock, because their deinits may call
    ///     the store.
    mutating func remember(_ entry: MemoryEntry, _ released: inout [StoredObject]) {
        remove(entry.key)
        if entries.count < Self.capacity {
            index.insert(entry.key.hash, place: entries.count)
            entries.append(EvictedEntry(entry))
        } else {
            if let note = entries[oldest].note { released.append(note) }
            forget(at: oldest)
            index.insert(entry.key.hash, place: oldest)
            entries[oldest] = EvictedEntry(entry)
            oldest = (oldest + 1) % Self.capacity
        }
        count += 1
    }

    private mutating func forget(at place: Int) {
        guard !entries[place].isForgotten else { return }
        index.remove(entries[place].key.hash, place: place)
        entries[place].isForgotten = true
        entries[place].object = nil
        entries[place].note = nil
        count -= 1
    }

    /// Removes objects that were deallocated.
    ///
    /// - Parameter released: Receives objects to release outside the lock: each may be the last
    ///   reference.
    mutating func forgetDead(_ released: inout [StoredObject]) {
        for place in entries.indices where !entries[place].isForgotten {
            if let object = entries[place].object {
                released.append(object)
            } else {
                forget(at: place)
            }
        }
        if isEmpty { self = EvictedObjects() }
    }
}
