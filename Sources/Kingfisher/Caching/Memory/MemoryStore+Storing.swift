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
    /// With a `version`, the object was read elsewhere since the version was obtained. It is then not
    /// stored if the key was stored or removed since.
    func store(
        _ object: StoredObject,
        for key: CacheKey,
        cost: Int,
        tag: UInt8 = 0,
        note: StoredObject? = nil,
        expiration: StorageExpiration,
        ifUnchangedSince version: UInt32? = nil
    ) {
        let now = clock.now()
        guard !expiration.isAlreadyExpired(at: now) else {
            // A read in progress may return the object that was to be replaced.
            if version == nil { queues.withLock { $0.noteChange(of: key) } }
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
        store(entry, ifUnchangedSince: version, at: now)
    }

    private func store(
        _ entry: MemoryEntry,
        ifUnchangedSince version: UInt32?,
        at now: TimeInterval,
        batches: Int = .max
    ) {
        inBatches(atMost: batches) { queues, eviction in
            if let version {
                let isUnchanged = version == queues.version(of: entry.key)
                guard isUnchanged, !isResident(entry.key, at: now) else { return true }
            } else {
                queues.noteChange(of: entry.key)
            }
            return insert(entry, in: &queues, &eviction)
        }
    }

    /// Returns a version for ``store(_:for:cost:tag:note:expiration:ifUnchangedSince:)``; call it
    /// before reading an object elsewhere.
    func version(of key: CacheKey) -> UInt32 { queues.withLock { $0.version(of: key) } }

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

    /// - Returns: Whether it is stored; false if there is no room yet.
    private func insert(
        _ entry: MemoryEntry,
        in queues: inout MemoryQueues,
        _ eviction: inout Eviction
    ) -> Bool {
        let key = entry.key
        guard queues.admits(cost: entry.cost) else {
            queues.statistics.oversized += 1
            replaceByOversized(entry, in: &queues, &eviction)
            return true
        }
        let (old, shardHits) = shards[key.hash & 15].state.withLock { ($0.entry(of: key), $0.hits) }
        guard
            makeRoom(in: &queues, cost: entry.cost, count: 1, replacing: old, &eviction)
        else { return false }
        var entry = entry
        if old == nil {
            entry.ticket = queues.makeTicket()
            entry.isInMain = queues.selectsMain(for: key.hash, shardHits: shardHits)
            entry.storedAt = queues.loops?.now ?? 0
            queues.append(.init(hash: key.hash, ticket: entry.ticket), toMain: entry.isInMain)
        }
        let replaced = shards[key.hash & 15].state.withLock { state in
            // Keeps its place in its queue, to which making room may have moved it, and its count
            // of reads.
            if let current = state.entry(of: key) {
                entry.ticket = current.ticket
                entry.isInMain = current.isInMain
                entry.reads = current.reads
                entry.storedAt = current.storedAt
            }
            state.evicted.remove(key, &eviction.released)
            return state.put(entry)
        }
        if let replaced {
            queues.subtract(cost: replaced.cost, fromMain: replaced.isInMain)
            eviction.released.entries.append(replaced)
        }
        queues.add(cost: entry.cost, toMain: entry.isInMain)
        return true
    }

    /// Removes an earlier object, and remembers the new one while it is referenced elsewhere.
    private func replaceByOversized(
        _ entry: MemoryEntry,
        in queues: inout MemoryQueues,
        _ eviction: inout Eviction
    ) {
        let old = shards[entry.key.hash & 15].state.withLock { state in
            if remembersEvicted { state.evicted.remember(entry, &eviction.released) }
            return state.remove(entry.key)
        }
        guard let old else { return }
        queues.subtract(cost: old.cost, fromMain: old.isInMain)
        eviction.released.entries.append(old)
    }

    /// Finds an evicted object that is still referenced elsewhere, and stores it again.
    ///
    /// A lookup does not wait for a long eviction: if one batch makes no room for the object, it is
    /// found as evicted the next time, too.
    func revive(_ key: CacheKey, extending: ExpirationExtending, at now: TimeInterval) -> Hit? {
        var released = Released()
        let (found, version) = queues.withLock { queues -> (MemoryEntry?, UInt32) in
            let entry = shards[key.hash & 15].state.withLock { state in
                let entry = state.findEvicted(key, at: now, &released)
                if entry == nil { state.absences += 1 } else { state.hits += 1 }
                return entry
            }
            if entry != nil { queues.statistics.revivals += 1 }
            return (entry, queues.version(of: key))
        }
        guard var entry = found else { return nil }
        entry.extend(extending, at: now)
        store(entry, ifUnchangedSince: version, at: now, batches: 1)
        return Hit(object: entry.object, tag: entry.tag)
    }
}

extension MemoryShard.State {
    /// Makes an entry for an evicted object that is still referenced and valid.
    fileprivate mutating func findEvicted(
        _ key: CacheKey,
        at now: TimeInterval,
        _ released: inout MemoryStore.Released
    ) -> MemoryEntry? {
        // Another thread may have stored or revived the key since it was missed.
        if let entry = entry(of: key) {
            return entry.expiry > now && entry.key.division.matches(key.division) ? entry : nil
        }
        guard let found = evicted[key], found.expiry > now, found.division.matches(key.division)
        else { return nil }
        guard let object = found.object else {
            evicted.remove(key, &released)
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
