import Foundation
import Synchronization

extension MemoryStore {
    /// Stores an object, replacing an earlier one of the key.
    ///
    /// The object can be read afterwards unless it exceeds a limit on its own; other objects are
    /// evicted for it. `cost` is in bytes, and a negative value counts as 0. `tag` is returned with
    /// the object, and `note` by ``note(of:for:)``. If `expiration` has already passed, nothing is
    /// stored or replaced.
    ///
    /// With a `mark`, the object was read elsewhere since the mark was obtained. It is then not
    /// stored if the key was stored or removed since.
    func store(
        _ object: StoredObject,
        for key: CacheKey,
        cost: Int,
        tag: UInt8 = 0,
        note: StoredObject? = nil,
        expiration: StorageExpiration,
        ifUnchangedSince mark: UInt32? = nil
    ) {
        let now = clock.now()
        guard !expiration.isAlreadyExpired(at: now) else {
            // A read in progress may return the object that was to be replaced.
            if mark == nil { queues.withLock { $0.noteChange(of: key) } }
            return
        }
        let entry = MemoryEntry(
            key: key,
            object: object,
            expiry: expiration.expiry(from: now),
            rule: expiration,
            tag: tag,
            note: note,
            cost: max(cost, 0)
        )
        let released = queues.withLock { queues -> [StoredObject] in
            if let mark {
                guard mark == queues.mark(of: key), !isResident(key, at: now) else { return [] }
            } else {
                queues.noteChange(of: key)
            }
            return insert(entry, in: &queues)
        }
        release(released)
    }

    /// Returns a mark for ``store(_:for:cost:tag:note:expiration:ifUnchangedSince:)``; call it
    /// before reading an object elsewhere.
    func mark(of key: CacheKey) -> UInt32 { queues.withLock { $0.mark(of: key) } }

    /// The note stored with an object; nil if the key has a different object now.
    func note(of object: StoredObject, for key: CacheKey) -> StoredObject? {
        // The evicted object is returned from the lock, because this may be its last reference.
        let (note, _) = shards[key.hash & 15].state.withLock {
            state -> (StoredObject?, StoredObject?) in
            if let place = state.place(of: key) {
                let entry = state.entries[place]
                return (entry.object === object ? entry.note : nil, nil)
            }
            let evicted = state.evicted[key]
            let found = evicted?.object
            return (found === object ? evicted?.note : nil, found)
        }
        return note
    }

    private func isResident(_ key: CacheKey, at now: TimeInterval) -> Bool {
        shards[key.hash & 15].state.withLock { state in
            guard let entry = state.entry(of: key) else { return false }
            return entry.expiry > now && entry.key.division.matches(key.division)
        }
    }

    /// - Returns: The objects to release outside the lock.
    private func insert(
        _ entry: MemoryEntry,
        in queues: inout MemoryQueues
    ) -> [StoredObject] {
        let key = entry.key
        guard queues.admits(cost: entry.cost) else {
            queues.statistics.oversized += 1
            return replaceByOversized(entry, in: &queues)
        }
        var entry = entry
        let old = shards[key.hash & 15].state.withLock { $0.entry(of: key) }
        if let old {
            // Keeps its place in its queue and its count of reads.
            entry.ticket = old.ticket
            entry.isInMain = old.isInMain
            entry.reads = old.reads
            queues.subtract(cost: old.cost, fromMain: old.isInMain)
        }
        var released = makeRoom(in: &queues, cost: entry.cost, count: 1, sparing: old?.ticket)
        if old == nil {
            entry.ticket = queues.makeTicket()
            entry.isInMain = queues.ghosts.take(key.hash)
            queues.append(.init(key: key, ticket: entry.ticket), toMain: entry.isInMain)
        }
        let replaced = shards[key.hash & 15].state.withLock { state in
            // Making room may have moved the old entry to the main queue.
            if let current = state.entry(of: key) { entry.isInMain = current.isInMain }
            if !state.evicted.isEmpty { state.evicted[key] = nil }
            return state.put(entry)?.object
        }
        queues.add(cost: entry.cost, toMain: entry.isInMain)
        if let replaced { released.append(replaced) }
        return released
    }

    /// Removes an earlier object, and remembers the new one while it is referenced elsewhere.
    private func replaceByOversized(
        _ entry: MemoryEntry,
        in queues: inout MemoryQueues
    ) -> [StoredObject] {
        let (old, living) = shards[entry.key.hash & 15].state.withLock { state in
            let living = remembersEvicted ? state.remember(entry) : []
            return (state.remove(entry.key), living)
        }
        guard let old else { return living }
        queues.subtract(cost: old.cost, fromMain: old.isInMain)
        return living + [old.object]
    }

    /// Finds an evicted object that is still referenced elsewhere, and stores it again.
    func revive(_ key: CacheKey, extending: ExpirationExtending, at now: TimeInterval) -> Hit? {
        let (hit, released) = queues.withLock { queues -> (Hit?, [StoredObject]) in
            let entry = shards[key.hash & 15].state.withLock { state in
                let entry = state.takeEvicted(key, at: now)
                if entry == nil { state.absences += 1 } else { state.hits += 1 }
                return entry
            }
            guard var entry else { return (nil, []) }
            entry.extend(extending, at: now)
            queues.statistics.revivals += 1
            let hit = Hit(object: entry.object, tag: entry.tag)
            return (hit, insert(entry, in: &queues))
        }
        release(released)
        return hit
    }
}

extension MemoryShard.State {
    /// Makes an entry for an evicted object that is still referenced and valid.
    fileprivate mutating func takeEvicted(
        _ key: CacheKey,
        at now: TimeInterval
    ) -> MemoryEntry? {
        // Another thread may have stored or revived the key since it was missed.
        if let entry = entry(of: key) {
            return entry.expiry > now && entry.key.division.matches(key.division) ? entry : nil
        }
        guard let found = evicted[key], found.expiry > now, found.division.matches(key.division)
        else { return nil }
        guard let object = found.object else {
            evicted[key] = nil
            return nil
        }
        return MemoryEntry(
            key: CacheKey(key.string, hash: key.hash, division: found.division),
            object: object,
            expiry: found.expiry,
            rule: found.rule,
            tag: found.tag,
            note: found.note,
            cost: found.cost
        )
    }
}
