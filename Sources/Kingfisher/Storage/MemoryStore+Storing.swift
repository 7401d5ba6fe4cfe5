import Foundation
import Synchronization

extension MemoryStore {
    /// Stores a value, instead of an earlier one of the key if there is one.
    ///
    /// The value can be read afterwards unless it alone exceeds a limit; others leave for it.
    ///
    /// `cost` is in bytes, a negative one counts as 0; `tag` is given back with the value. If
    /// `expiration` is already expired nothing happens at all.
    func store(
        _ value: Value,
        for key: CacheKey,
        cost: Int,
        tag: UInt8 = 0,
        expiration: StorageExpiration
    ) {
        let now = clock.now()
        guard !expiration.isAlreadyExpired(at: now) else { return }
        let entry = MemoryEntry(
            value: value,
            cost: max(cost, 0),
            tag: tag,
            rule: expiration,
            expiry: expiration.expiry(from: now),
            ticket: 0,
            isInMain: false
        )
        release(queues.withLock { insert(entry, for: key, in: &$0) })
    }

    /// - Returns: Values to let go of outside of the lock.
    private func insert(
        _ entry: MemoryEntry<Value>,
        for key: CacheKey,
        in queues: inout MemoryQueues
    ) -> [Value] {
        guard queues.admits(cost: entry.cost) else {
            queues.statistics.oversized += 1
            return replaceByOversized(entry, for: key, in: &queues)
        }
        var entry = entry
        let old = shard(for: key).state.withLock { $0.entry(of: key) }
        if let old {
            // It keeps its place in its queue and what it has been read so far.
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
        let replaced = shard(for: key).state.withLock { state in
            // Making room may have moved the old entry to the main queue.
            if let current = state.entry(of: key) { entry.isInMain = current.isInMain }
            if !state.evicted.isEmpty { state.evicted[key] = nil }
            return state.put(entry, for: key)?.value
        }
        queues.add(cost: entry.cost, toMain: entry.isInMain)
        if let replaced { released.append(replaced) }
        return released
    }

    /// Takes an earlier value away, and remembers the new one as long as others keep it.
    private func replaceByOversized(
        _ entry: MemoryEntry<Value>,
        for key: CacheKey,
        in queues: inout MemoryQueues
    ) -> [Value] {
        let old = shard(for: key).state.withLock { state in
            if holdsObjects { state.remember(entry, for: key) }
            return state.remove(key)
        }
        guard let old else { return [] }
        queues.subtract(cost: old.cost, fromMain: old.isInMain)
        return [old.value]
    }

    /// Finds a value that was evicted but lives elsewhere, and makes it resident again.
    func revive(_ key: CacheKey, extending: ExpirationExtending, at now: TimeInterval) -> Hit? {
        let (hit, released) = queues.withLock { queues -> (Hit?, [Value]) in
            let entry = shard(for: key).state.withLock { state in
                let entry = state.takeEvicted(key, at: now)
                if entry == nil { state.misses += 1 } else { state.hits += 1 }
                return entry
            }
            guard var entry else { return (nil, []) }
            entry.extend(extending, at: now)
            queues.statistics.revivals += 1
            let hit = Hit(value: entry.value, tag: entry.tag)
            return (hit, insert(entry, for: key, in: &queues))
        }
        release(released)
        return hit
    }
}

extension MemoryShard.State {
    /// Makes an entry again of an evicted value that is still alive and valid.
    fileprivate mutating func takeEvicted(
        _ key: CacheKey,
        at now: TimeInterval
    ) -> MemoryEntry<Value>? {
        // Another thread may have stored or revived the key since it was missed.
        if let entry = entry(of: key) { return entry.expiry > now ? entry : nil }
        guard let found = evicted[key], found.expiry > now else { return nil }
        guard let object = found.object, let value = object as? Value else {
            evicted[key] = nil
            return nil
        }
        return MemoryEntry(
            value: value,
            cost: found.cost,
            tag: found.tag,
            rule: found.rule,
            expiry: found.expiry,
            ticket: 0,
            isInMain: false
        )
    }
}
