import Foundation

/// An evicted object that may still be referenced elsewhere, for example by a view.
struct EvictedEntry {
    weak var object: StoredObject?
    let division: KeyDivision
    let cost: Int
    let tag: UInt8
    let note: StoredObject?
    let rule: StorageExpiration
    let expiry: TimeInterval
    /// Distinguishes the object from an earlier one of its key.
    fileprivate let turn: UInt64
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

    private var entries: [CacheKey: EvictedEntry] = [:]
    private var order = FIFO<(key: CacheKey, turn: UInt64)>()
    private var lastTurn: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    subscript(key: CacheKey) -> EvictedEntry? { entries[key] }

    mutating func remove(_ key: CacheKey) {
        if !entries.isEmpty { entries[key] = nil }
    }

    /// Keeps a weak reference to the object of an evicted entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - released: Receives objects to release outside the lock: this may be the last reference
    ///     to one of them, and its deinit may call the store.
    mutating func remember(_ entry: MemoryEntry, _ released: inout [StoredObject]) {
        lastTurn += 1
        entries[entry.key] = EvictedEntry(
            object: entry.object,
            division: entry.key.division,
            cost: entry.cost,
            tag: entry.tag,
            note: entry.note,
            rule: entry.rule,
            expiry: entry.expiry,
            turn: lastTurn
        )
        order.append((entry.key, lastTurn))
        // Two for each new one: what is gone is at most as much as what is left.
        for _ in 0..<2 { examineOldest(&released) }
    }

    private mutating func examineOldest(_ released: inout [StoredObject]) {
        guard let oldest = order.popFirst(), let entry = entries[oldest.key],
            entry.turn == oldest.turn
        else { return }
        let object = entry.object
        if let object { released.append(object) }
        if object == nil || entries.count > Self.capacity {
            entries[oldest.key] = nil
        } else {
            order.append(oldest)
        }
    }

    /// Removes objects that were deallocated.
    ///
    /// - Parameter released: Receives objects to release outside the lock.
    mutating func forgetDead(_ released: inout [StoredObject]) {
        entries = entries.filter { _, entry in
            guard let object = entry.object else { return false }
            released.append(object)
            return true
        }
    }
}
