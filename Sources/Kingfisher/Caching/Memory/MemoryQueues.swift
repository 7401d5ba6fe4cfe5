/// The eviction order of a memory store's entries, and their totals.
struct MemoryQueues {
    /// Without the key, so that queues neither retain nor release its text.
    struct Item {
        let hash: Int
        let ticket: UInt64
    }

    var costLimit: Int
    var countLimit: Int
    var small = FIFO<Item>()
    var main = FIFO<Item>()
    var ghosts = GhostQueue()
    var cost = 0
    var count = 0
    /// The part of ``cost`` and ``count`` in the small queue.
    var smallCost = 0
    var smallCount = 0
    var statistics = MemoryStatistics()
    private var lastTicket: UInt64 = 0
    /// The number of changes per slot; each slot counts the stores and removals of several keys.
    private var changes = InlineArray<256, UInt32>(repeating: 0)

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    /// Whether the limits hold after `count` entries that cost `added` were stored in place of an
    /// old one; neither exceeds its limit alone.
    func room(cost added: Int, count: Int, replacing old: MemoryEntry?) -> Room {
        // Subtracted from the limit, because a sum could overflow.
        if cost - (old?.cost ?? 0) > max(costLimit - added, 0) { return .tooCostly }
        let others = self.count - (old == nil ? 0 : 1)
        return others > max(countLimit - count, 0) ? .tooMany : .enough
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
    func mark(of key: CacheKey) -> UInt32 { changes[Self.place(of: key)] }

    mutating func noteChange(of key: CacheKey) { changes[Self.place(of: key)] &+= 1 }

    mutating func noteChangeOfAll() {
        for place in changes.indices { changes[place] &+= 1 }
    }

    mutating func removeAll() {
        small.removeAll()
        main.removeAll()
        ghosts.removeAll()
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

    /// Whether the next entry to evict is taken from the small queue.
    ///
    /// A fifth for the small queue, and promotion after one read, had the best hit rate, or came
    /// within one point of it, on a dozen kinds of traces.
    func prefersSmall(forCount: Bool) -> Bool {
        if small.isEmpty { return false }
        if main.isEmpty { return true }
        return forCount ? smallCount > countLimit / 5 : smallCost > costLimit / 5
    }
}

/// The hashes of entries recently evicted from the small queue; the oldest are dropped first.
///
/// A key stored again while its hash is here has been requested repeatedly.
struct GhostQueue {
    /// A ring: the hash of turn `n` is at `n % capacity`.
    private var hashes: ContiguousArray<Int> = []
    private var index = HashIndex()
    private var oldestTurn = 0
    private var nextTurn = 0

    /// The hashes at most: the table must not become so large that growing it takes a millisecond.
    private static let capacity = 16_384

    mutating func insert(_ hash: Int, capacity: Int) {
        _ = take(hash)
        let capacity = min(capacity, Self.capacity)
        while nextTurn - oldestTurn >= capacity { dropOldest() }
        let place = nextTurn % Self.capacity
        if place == hashes.count {
            hashes.append(hash)
        } else {
            hashes[place] = hash
        }
        index.insert(hash, place: place)
        nextTurn += 1
    }

    private mutating func dropOldest() {
        let place = oldestTurn % Self.capacity
        oldestTurn += 1
        let hash = hashes[place]
        // It may have been taken.
        guard self.place(of: hash) == place else { return }
        index.remove(hash, place: place)
    }

    /// Removes a hash and returns whether it was present.
    mutating func take(_ hash: Int) -> Bool {
        guard let place = place(of: hash) else { return false }
        index.remove(hash, place: place)
        return true
    }

    func remembers(_ hash: Int) -> Bool { place(of: hash) != nil }

    private func place(of hash: Int) -> Int? {
        index.place(of: hash) { hashes[$0] == hash }
    }

    mutating func removeAll() { self = GhostQueue() }
}
