import Foundation
import Synchronization

extension MemoryStore {
    // MARK: Removing

    /// Removes the object of a key, if there is one.
    func remove(_ key: CacheKey) {
        let released = queues.withLock { queues -> StoredObject? in
            queues.noteChange(of: key)
            let entry = shards[key.hash & 15].state.withLock { state in
                state.evicted[key] = nil
                return state.remove(key)
            }
            guard let entry else { return nil }
            queues.subtract(cost: entry.cost, fromMain: entry.isInMain)
            forgetRemovedItems(in: &queues)
            return entry.object
        }
        if let released { release([released]) }
    }

    /// Removes all objects, including evicted ones that are still referenced elsewhere.
    func removeAll() {
        let released = queues.withLock { queues -> [StoredObject] in
            queues.noteChangeOfAll()
            queues.small.removeAll()
            queues.main.removeAll()
            queues.ghosts.removeAll()
            queues.cost = 0
            queues.count = 0
            queues.smallCost = 0
            queues.smallCount = 0
            return shards.indices.flatMap { shard in
                shards[shard].state.withLock { state in
                    let objects = state.entries.map(\.object)
                    let lookups = (state.hits, state.absences, state.staleReads)
                    state = .init()
                    (state.hits, state.absences, state.staleReads) = lookups
                    return objects
                }
            }
        }
        release(released)
    }

    /// Removes expired objects.
    ///
    /// - Complexity: O(entries) of the shards with expired objects, one shard at a time.
    func removeExpired() {
        let now = clock.now()
        for shard in shards.indices {
            let released = queues.withLock { queues -> [StoredObject] in
                let (expired, living) = shards[shard].state.withLock { state in
                    (state.takeExpired(at: now), state.forgetDead())
                }
                for entry in expired {
                    queues.subtract(cost: entry.cost, fromMain: entry.isInMain)
                }
                queues.statistics.expired += expired.count
                if !expired.isEmpty { forgetRemovedItems(in: &queues) }
                return living + expired.map(\.object)
            }
            release(released)
        }
    }

    /// Evicts until the total cost is at most `cost`, independently of the limit, because memory is
    /// short.
    func shrink(toCost cost: Int) {
        let released = queues.withLock { queues -> [StoredObject] in
            var released: [StoredObject] = []
            while queues.cost > max(cost, 0) {
                let objects = evictOne(from: &queues, forCount: false, sparing: nil)
                if objects.isEmpty { break }
                released += objects
                queues.statistics.evictedForPressure += 1
            }
            return released
        }
        release(released)
    }

    // MARK: Evicting

    /// Evicts until an entry fits within both limits.
    ///
    /// - Parameters:
    ///   - queues: The queues.
    ///   - cost: The cost of the new entry, at most the limit.
    ///   - count: The count of the new entry, at most the limit.
    ///   - ticket: The entry that must not be evicted.
    /// - Returns: The objects to release outside the lock.
    func makeRoom(
        in queues: inout MemoryQueues,
        cost: Int,
        count: Int,
        sparing ticket: UInt64?
    ) -> [StoredObject] {
        var released: [StoredObject] = []
        while true {
            // Subtracted from the limit, because the sum could overflow.
            let isTooDear = queues.cost > max(queues.costLimit - cost, 0)
            let isTooMany = queues.count > max(queues.countLimit - count, 0)
            guard isTooDear || isTooMany else { return released }
            let evicted = evictOne(from: &queues, forCount: !isTooDear, sparing: ticket)
            if evicted.isEmpty { return released }
            released += evicted
            if isTooDear {
                queues.statistics.evictedForCost += 1
            } else {
                queues.statistics.evictedForCount += 1
            }
        }
    }

    private enum Verdict {
        case gone
        case spared
        case promoted(cost: Int)
        /// With other objects to release.
        case evicted(MemoryEntry, [StoredObject])
    }

    /// Evicts the next entry that was not read since it was last examined.
    ///
    /// - Returns: The objects to release outside the lock; empty if there is no such entry.
    private func evictOne(
        from queues: inout MemoryQueues,
        forCount: Bool,
        sparing spared: UInt64?
    ) -> [StoredObject] {
        var turnsLeft = 5 * (queues.small.count + queues.main.count) + 1
        var isMainSpared = false
        while turnsLeft > 0 {
            turnsLeft -= 1
            let isSmall =
                queues.prefersSmall(forCount: forCount) || isMainSpared && !queues.small.isEmpty
            let next = isSmall ? queues.small.popFirst() : queues.main.popFirst()
            guard let item = next else { return [] }
            switch judge(item, inSmall: isSmall, sparing: spared) {
            case .gone:
                continue
            case .spared:
                // Its previous cost was already subtracted.
                queues.main.append(item)
                isMainSpared = queues.main.count == 1
            case .promoted(let cost):
                if isSmall {
                    queues.smallCost -= cost
                    queues.smallCount -= 1
                }
                queues.main.append(item)
            case .evicted(let entry, let living):
                queues.subtract(cost: entry.cost, fromMain: !isSmall)
                if isSmall { queues.ghosts.insert(item.key.hash, capacity: max(queues.count, 64)) }
                return [entry.object] + living
            }
        }
        return []
    }

    private func judge(_ item: MemoryQueues.Item, inSmall: Bool, sparing: UInt64?) -> Verdict {
        shards[item.key.hash & 15].state.withLock { state in
            guard let place = state.place(of: item.key),
                state.entries[place].ticket == item.ticket
            else { return .gone }
            if item.ticket == sparing {
                state.entries[place].isInMain = true
                return .spared
            }
            let reads = state.entries[place].reads
            if reads > 0 {
                state.entries[place].reads = inSmall ? 0 : reads - 1
                state.entries[place].isInMain = true
                return .promoted(cost: state.entries[place].cost)
            }
            let entry = state.remove(at: place)
            return .evicted(entry, remembersEvicted ? state.remember(entry) : [])
        }
    }

    /// Removes the queue items of removed entries once they are the majority.
    ///
    /// Eviction drops such items as it meets them; without this, a store that is never full would
    /// accumulate them.
    private func forgetRemovedItems(in queues: inout MemoryQueues) {
        guard queues.small.count + queues.main.count > 2 * queues.count + 64 else { return }
        let isGone = { [self] (item: MemoryQueues.Item) in
            shards[item.key.hash & 15].state.withLock { state in
                state.entry(of: item.key)?.ticket != item.ticket
            }
        }
        queues.small.removeAll(where: isGone)
        queues.main.removeAll(where: isGone)
    }
}

extension MemoryShard.State {
    fileprivate mutating func takeExpired(at now: TimeInterval) -> [MemoryEntry] {
        guard soonestExpiry <= now else { return [] }
        var expired: [MemoryEntry] = []
        // In reverse, because a removed entry is replaced by the last one, which was examined
        // already.
        for place in entries.indices.reversed() where entries[place].expiry <= now {
            expired.append(remove(at: place))
        }
        soonestExpiry = entries.reduce(.infinity) { min($0, $1.expiry) }
        return expired
    }
}
