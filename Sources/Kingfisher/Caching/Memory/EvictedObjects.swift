import Foundation

/// An evicted object that may still be referenced elsewhere, for example by a view.
struct EvictedEntry {
    fileprivate var key: CacheKey
    fileprivate(set) weak var object: StoredObject?
    fileprivate(set) var cost: Int
    fileprivate(set) var tag: UInt8
    fileprivate(set) var note: StoredObject?
    fileprivate(set) var rule: StorageExpiration
    fileprivate(set) var expiry: TimeInterval
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

    /// Takes the place of this one; moving a weak reference costs more than changing it.
    fileprivate mutating func become(_ entry: MemoryEntry) {
        key = entry.key
        object = entry.object
        cost = entry.cost
        tag = entry.tag
        note = entry.note
        rule = entry.rule
        expiry = entry.expiry
        isForgotten = false
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

    /// Forgets the object of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - released: Receives what is to be released outside the lock.
    mutating func remove(_ key: CacheKey, _ released: inout MemoryStore.Released) {
        if let place = place(of: key) { forget(at: place, &released) }
    }

    /// Keeps a weak reference to the object of an evicted entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - released: Receives what is to be released outside the lock.
    mutating func remember(_ entry: MemoryEntry, _ released: inout MemoryStore.Released) {
        remove(entry.key, &released)
        if entries.count < Self.capacity {
            index.insert(entry.key.hash, place: entries.count)
            entries.append(EvictedEntry(entry))
        } else {
            forget(at: oldest, &released)
            index.insert(entry.key.hash, place: oldest)
            entries[oldest].become(entry)
            oldest = (oldest + 1) % Self.capacity
        }
        count += 1
    }

    private mutating func forget(at place: Int, _ released: inout MemoryStore.Released) {
        guard !entries[place].isForgotten else { return }
        released.keys.append(entries[place].key)
        if let note = entries[place].note { released.objects.append(note) }
        index.remove(entries[place].key.hash, place: place)
        entries[place].isForgotten = true
        entries[place].object = nil
        entries[place].note = nil
        count -= 1
    }

    /// Forgets objects that were deallocated.
    ///
    /// - Parameter released: Receives what is to be released outside the lock; an object that is
    ///   kept, too, as the reference by which it was examined may be its last one.
    mutating func forgetDead(_ released: inout MemoryStore.Released) {
        for place in entries.indices where !entries[place].isForgotten {
            if let object = entries[place].object {
                released.objects.append(object)
            } else {
                forget(at: place, &released)
            }
        }
        if isEmpty { self = EvictedObjects() }
    }
}
