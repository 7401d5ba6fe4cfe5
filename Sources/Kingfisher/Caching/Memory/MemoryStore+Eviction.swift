import Foundation
import Synchronization

extension MemoryStore {
    // MARK: Batches

    /// What entries leave to release outside all locks.
    ///
    /// The deinits of objects may run foreign code, and releasing memory may take tens of
    /// milliseconds, in which the allocator joins what was released before.
    struct Released {
        var entries: [MemoryEntry] = []
        /// The keys of entries that were evicted earlier, and are forgotten.
        var keys: [CacheKey] = []
        var objects: [StoredObject] = []
        var chunks: [FIFO<MemoryQueues.Item>.Chunk] = []

        fileprivate mutating func removeAll() {
            entries.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            objects.removeAll(keepingCapacity: true)
            chunks.removeAll(keepingCapacity: true)
        }
    }

    /// The progress of long work.
    struct Eviction {
        /// What to release outside all locks.
        var released = Released()
        /// The entries that may still be examined before one is evicted although it was read;
        /// readers may raise the counters faster than they are lowered here.
        fileprivate var patience: Int?
        /// The number of evicted entries.
        fileprivate var count = 0
    }

    /// Repeats work until it returns true, or a number of times, and lets other callers have the
    /// lock in between.
    func inBatches(
        atMost limit: Int = .max,
        _ work: (inout MemoryQueues, inout Eviction) -> Bool
    ) {
        var eviction = Eviction()
        var batches = 0
        while true {
            let isDone = queues.withLock { work(&$0, &eviction) }
            batches += 1
            if isDone || batches == limit { return }
            eviction.released.removeAll()
            guard batches % 32 == 0 else { continue }
            // Lets the allocator join what it got back; in the end it would do so for all entries at
            // once, in an allocation of this size, which may happen under the lock.
            eviction.released = Released()
            eviction.released.entries.reserveCapacity(Self.batchSize)
        }
    }

    // MARK: Removing

    /// Removes the object of a key, if there is one.
    func remove(_ key: CacheKey) {
        let released = queues.withLock { queues -> Released in
            var released = Released()
            queues.noteChange(of: key)
            let entry = shards[key.hash & 15].state.withLock { state in
                state.evicted.remove(key, &released)
                return state.remove(key)
            }
            guard let entry else { return released }
            queues.subtract(cost: entry.cost, fromMain: entry.isInMain)
            forgetRemovedItems(in: &queues, &released)
            released.entries.append(entry)
            return released
        }
        withExtendedLifetime(released) {}
    }

    /// Removes all objects, including evicted ones that are still referenced elsewhere.
    func removeAll() {
        let removed = queues.withLock { queues -> (MemoryQueues, [MemoryShard.State]) in
            queues.noteChangeOfAll()
            let oldQueues = queues
            queues.removeAll()
            let oldStates = shards.indices.map { shard in
                shards[shard].state.withLock { state in
                    let old = state
                    state = .init()
                    state.hits = old.hits
                    state.absences = old.absences
                    state.staleReads = old.staleReads
                    return old
                }
            }
            return (oldQueues, oldStates)
        }
        // Released here, outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// Removes expired objects.
    ///
    /// - Complexity: O(entries) of the shards with expired objects.
    func removeExpired() {
        let now = clock.now()
        for shard in shards.indices {
            var place = Int.max
            inBatches { queues, eviction in
                let expired = shards[shard].state.withLock { state in
                    if place == .max { state.evicted.forgetDead(&eviction.released) }
                    return state.takeExpired(at: now, before: &place)
                }
                for entry in expired {
                    queues.subtract(cost: entry.cost, fromMain: entry.isInMain)
                    forgetRemovedItems(in: &queues, &eviction.released)
                }
                eviction.released.entries += expired
                queues.statistics.expired += expired.count
                return place == 0
            }
        }
    }

    /// Evicts until the total cost is at most `cost`, independently of the limit, because memory is
    /// short.
    func shrink(toCost cost: Int) {
        let most = count
        inBatches { queues, eviction in
            for _ in 0..<Self.batchSize {
                // What others store meanwhile must not keep this from ending.
                guard queues.cost > max(cost, 0), queues.count > 0, eviction.count < most else {
                    return true
                }
                if examineNext(in: &queues, forCount: false, cost: 0, sparing: nil, &eviction) {
                    queues.statistics.evictedForPressure += 1
                }
            }
            return false
        }
    }

    // MARK: Evicting

    /// Evicts until an entry fits within both limits.
    ///
    /// - Parameters:
    ///   - queues: The queues.
    ///   - cost: The cost of the new entry, at most the limit.
    ///   - count: The count of the new entry, at most the limit.
    ///   - old: The entry that it replaces, which is not evicted.
    ///   - eviction: The progress.
    /// - Returns: Whether it fits; false if more entries must be examined.
    func makeRoom(
        in queues: inout MemoryQueues,
        cost: Int,
        count: Int,
        replacing old: MemoryEntry?,
        _ eviction: inout Eviction
    ) -> Bool {
        for _ in 0..<Self.batchSize {
            let room = queues.room(cost: cost, count: count, replacing: old)
            if room == .enough || queues.count == 0 { return true }
            let isForCount = room == .tooMany
            let isEvicted = examineNext(
                in: &queues,
                forCount: isForCount,
                cost: cost,
                sparing: old?.ticket,
                &eviction
            )
            guard isEvicted else { continue }
            if isForCount {
                queues.statistics.evictedForCount += 1
            } else {
                queues.statistics.evictedForCost += 1
            }
        }
        return false
    }

    /// The most entries examined to find one that was not read; a few milliseconds of work.
    private static let patience = 4_096

    /// Examines the next entry, and evicts it if it was not read since it was last examined.
    ///
    /// - Returns: Whether it was evicted.
    private func examineNext(
        in queues: inout MemoryQueues,
        forCount: Bool,
        cost: Int,
        sparing spared: UInt64?,
        _ eviction: inout Eviction
    ) -> Bool {
        let isMainSpared = queues.main.count == 1 && queues.main.first?.ticket == spared
        let isSmall =
            queues.prefersSmall(forCount: forCount, cost: cost)
            || isMainSpared && !queues.small.isEmpty
        // During a loop, an entry larger than the window takes the place of those kept last.
        let isLast = queues.isLooping && queues.small.isEmpty && spared == nil
        let next =
            if isSmall {
                queues.small.popFirst(&eviction.released.chunks)
            } else if isLast {
                queues.main.popLast(&eviction.released.chunks)
            } else {
                queues.main.popFirst(&eviction.released.chunks)
            }
        guard let item = next else { return false }
        let patience = eviction.patience ?? min(5 * queues.count, Self.patience)
        let verdict = judge(
            item,
            inSmall: isSmall,
            sparing: spared,
            evictsRead: patience <= 0 || isLast,
            roomInMain: isSmall ? queues.roomInMain(forCount: forCount) : -1,
            &eviction
        )
        switch verdict {
        case .gone:
            return false
        case .kept(let cost, let wasRead):
            eviction.patience = patience - 1
            if isSmall {
                queues.smallCost -= cost
                queues.smallCount -= 1
                if wasRead { queues.loops?.noteRead() }
            }
            queues.main.append(item)
            return false
        case .evicted(let cost, let time):
            queues.subtract(cost: cost, fromMain: !isSmall)
            queues.noteEviction(of: item.hash, storedAt: time, fromSmall: isSmall)
            eviction.patience = nil
            eviction.count += 1
            return true
        }
    }

    private enum Verdict {
        case gone
        /// In the main queue.
        case kept(cost: Int, wasRead: Bool)
        case evicted(cost: Int, storedAt: UInt32)
    }

    private func judge(
        _ item: MemoryQueues.Item,
        inSmall: Bool,
        sparing spared: UInt64?,
        evictsRead: Bool,
        roomInMain: Int,
        _ eviction: inout Eviction
    ) -> Verdict {
        shards[item.hash & 15].state.withLock { state in
            guard let place = state.place(of: item) else { return .gone }
            let (reads, cost) = (state.entries[place].reads, state.entries[place].cost)
            let isSpared = item.ticket == spared
            if isSpared || reads > 0 && !evictsRead || cost <= roomInMain {
                if !isSpared, reads > 0 { state.entries[place].reads = inSmall ? 0 : reads - 1 }
                state.entries[place].isInMain = true
                return .kept(cost: cost, wasRead: reads > 0)
            }
            var entry = state.remove(at: place)
            // No view shows an object that only the entry refers to.
            if remembersEvicted, !entry.isOnlyReference {
                state.evicted.remember(entry, &eviction.released)
            }
            eviction.released.entries.append(entry)
            return .evicted(cost: cost, storedAt: entry.storedAt)
        }
    }

    /// Removes queue items of removed entries while they are the majority.
    ///
    /// Eviction drops such items as it meets them; without this, a store that is never full would
    /// accumulate them.
    private func forgetRemovedItems(in queues: inout MemoryQueues, _ released: inout Released) {
        guard queues.small.count + queues.main.count > 2 * queues.count + 64 else { return }
        let isGone = { [self] (item: MemoryQueues.Item) in
            shards[item.hash & 15].state.withLock { $0.place(of: item) == nil }
        }
        queues.small.sweepChunk(&released.chunks, where: isGone)
        queues.main.sweepChunk(&released.chunks, where: isGone)
    }
}

extension MemoryShard.State {
    /// Removes expired entries before a place, in reverse, and stops after a batch.
    ///
    /// The place becomes the one where to continue; 0 at the end.
    fileprivate mutating func takeExpired(
        at now: TimeInterval,
        before place: inout Int
    ) -> [MemoryEntry] {
        place = min(place, entries.count)
        guard soonestExpiry <= now else {
            place = 0
            return []
        }
        var expired: [MemoryEntry] = []
        let end = max(place - 16 * MemoryStore.batchSize, 0)
        while place > end, expired.count < MemoryStore.batchSize {
            place -= 1
            // It is replaced by the last one, which was examined already.
            if entries[place].expiry <= now { expired.append(remove(at: place)) }
        }
        if place == 0 { soonestExpiry = entries.reduce(.infinity) { min($0, $1.expiry) } }
        return expired
    }
}
