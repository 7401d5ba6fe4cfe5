/// The eviction order of a memory store's entries, and their totals.
struct MemoryQueues {
    /// Without the key, so that queues neither retain nor release its text.
    struct Item {
        let hash: Int
        let ticket: UInt64
    }

    var costLimit: Int
    var countLimit: Int
    /// The limit of the count that also bounds what entries take beside their cost: an image of one
    /// pixel costs four bytes, and takes half a kilobyte.
    ///
    /// Not below 32,768 entries, so that a small cost limit means what it says.
    private var entryLimit: Int { min(countLimit, max(costLimit, 16 << 20) / 512) }
    var small = FIFO<Item>()
    var main = FIFO<Item>()
    var ghosts = GhostQueue()
    /// Nil if loops are not to be noticed.
    var loops: LoopWatch?
    var cost = 0
    var count = 0
    /// The part of ``cost`` and ``count`` in the small queue.
    var smallCost = 0
    var smallCount = 0
    var statistics = MemoryStatistics()
    private var lastTicket: UInt64 = 0
    /// The number of changes per slot; each slot counts the stores and removals of several keys.
    private var changes = InlineArray<256, UInt32>(repeating: 0)

    init(_ limits: MemoryStore.Limits) {
        costLimit = limits.cost
        countLimit = limits.count
        loops = limits.noticesLoops ? LoopWatch() : nil
    }

    /// Whether the limits hold after `count` entries that cost `added` were stored in place of an
    /// old one; neither exceeds its limit alone.
    func room(cost added: Int, count: Int, replacing old: MemoryEntry?) -> Room {
        // Subtracted from the limit, because a sum could overflow.
        if cost - (old?.cost ?? 0) > max(costLimit - added, 0) { return .tooCostly }
        let others = self.count - (old == nil ? 0 : 1)
        return others > max(entryLimit - count, 0) ? .tooMany : .enough
    }

    enum Room {
        case enough, tooCostly, tooMany
    }

    /// Whether a value of this cost fits into an empty store.
    func admits(cost: Int) -> Bool { cost <= costLimit && countLimit > 0 }

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// A number that changes when the key is stored or removed, and rarely otherwise.
    func version(of key: CacheKey) -> UInt32 { changes[Self.place(of: key)] }

    mutating func noteChange(of key: CacheKey) { changes[Self.place(of: key)] &+= 1 }

    mutating func noteChangeOfAll() {
        for place in changes.indices { changes[place] &+= 1 }
    }

    mutating func removeAll() {
        small.removeAll()
        main.removeAll()
        ghosts.removeAll()
        if loops != nil { loops = LoopWatch() }
        (cost, count, smallCost, smallCount) = (0, 0, 0, 0)
    }

    // The lowest four bits select the shard.
    private static func place(of key: CacheKey) -> Int { key.hash >> 4 & 255 }

    mutating func append(_ item: Item, toMain: Bool) {
        if toMain {
            main.append(item)
        } else {
            small.append(item)
        }
    }

    mutating func add(cost added: Int, toMain: Bool) {
        cost += added
        count += 1
        guard !toMain else { return }
        smallCost += added
        smallCount += 1
    }

    mutating func subtract(cost removed: Int, fromMain: Bool) {
        cost -= removed
        count -= 1
        guard !fromMain else { return }
        smallCost -= removed
        smallCount -= 1
    }

    /// Whether entries are kept because the store is used in a loop.
    var isLooping: Bool { loops?.isLooping ?? false }

    /// Whether the next entry to evict is taken from the small queue, to make room for an entry of
    /// a cost.
    ///
    /// A fifth for the small queue, and promotion after one read, had the best hit rate, or came
    /// within one point of it, on a dozen kinds of traces.
    func prefersSmall(forCount: Bool, cost added: Int) -> Bool {
        if small.isEmpty { return false }
        if main.isEmpty { return true }
        guard isLooping else {
            return forCount ? smallCount > countLimit / 5 : smallCost > costLimit / 5
        }
        return forCount
            ? smallCount >= countLimit / LoopWatch.share
            : smallCost > costLimit / LoopWatch.share - added
    }

    /// The cost up to which an unread entry moves from the small queue to the main queue; -1 for
    /// none.
    ///
    /// That is the room that a loop leaves there.
    func roomInMain(forCount: Bool) -> Int {
        guard isLooping else { return -1 }
        guard forCount else {
            return costLimit - costLimit / LoopWatch.share - (cost - smallCost)
        }
        let most = countLimit - countLimit / LoopWatch.share
        return count - smallCount < most ? .max : -1
    }

    /// Counts the store of a key without an entry, and selects its queue.
    ///
    /// - Parameters:
    ///   - hash: The key's hash.
    ///   - shardHits: The hits of the key's shard since the store was made.
    /// - Returns: Whether it is the main queue.
    mutating func selectsMain(for hash: Int, shardHits: Int) -> Bool {
        let wasEvicted = ghosts.take(hash) != nil
        let wasLooping = isLooping
        let isDue = loops?.noteStore(of: hash, shardHits: shardHits, count: count) ?? false
        return wasLooping ? isDue : wasEvicted
    }

    mutating func noteEviction(of hash: Int, storedAt time: UInt32, fromSmall: Bool) {
        if fromSmall { ghosts.insert(hash, capacity: max(count, 64)) }
        loops?.noteEviction(of: hash, storedAt: time, count: count)
    }
}

/// The hashes of entries recently evicted from the small queue; the oldest are dropped first.
///
/// A key stored again while its hash is here has been requested repeatedly.
struct GhostQueue {
    /// A ring: the `n`th hash is at `n % capacity`.
    private var hashes: ContiguousArray<Int> = []
    /// A time of the caller per hash.
    private var times: ContiguousArray<UInt32> = []
    private var index = HashIndex()
    private var oldestNumber = 0
    private var nextNumber = 0

    /// The hashes at most: the table must not become so large that growing it takes a millisecond.
    private static let capacity = 16_384

    mutating func insert(_ hash: Int, time: UInt32 = 0, capacity: Int) {
        _ = take(hash)
        let capacity = min(capacity, Self.capacity)
        while nextNumber - oldestNumber >= capacity { dropOldest() }
        let place = nextNumber % Self.capacity
        if place == hashes.count {
            hashes.append(hash)
            times.append(time)
        } else {
            hashes[place] = hash
            times[place] = time
        }
        index.insert(hash, place: place)
        nextNumber += 1
    }

    private mutating func dropOldest() {
        let place = oldestNumber % Self.capacity
        oldestNumber += 1
        let hash = hashes[place]
        // It may have been taken.
        guard self.place(of: hash) == place else { return }
        index.remove(hash, place: place)
    }

    /// Removes a hash and returns its time; nil if it was not present.
    mutating func take(_ hash: Int) -> UInt32? {
        guard let place = place(of: hash) else { return nil }
        index.remove(hash, place: place)
        return times[place]
    }

    func remembers(_ hash: Int) -> Bool { place(of: hash) != nil }

    private func place(of hash: Int) -> Int? {
        index.place(of: hash) { hashes[$0] == hash }
    }

    mutating func removeAll() { self = GhostQueue() }
}
