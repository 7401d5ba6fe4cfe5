/// Notices that a memory store is used in a loop that is longer than the store: a list scrolled
/// down and back up, a carousel.
///
/// In such a loop a queue evicts each entry shortly before it is requested again, while keeping any
/// fixed part would hit as often as it is large. So the store keeps one while the loop lasts, and
/// new entries pass through a small window (compare Qureshi et al., "Adaptive insertion policies
/// for high performance caching", 2007).
///
/// The sign of a loop is that stored keys were evicted before, each after about as many requests as
/// the key before it. The sign of its end is that keys are new, or that a queue would have had more
/// hits.
struct LoopWatch {
    private(set) var isLooping = false
    /// The requests so far: hits, and stores of keys without an entry.
    ///
    /// It wraps.
    private(set) var now: UInt32 = 0
    private var evicted = GhostQueue()
    /// The hits of each shard when an entry was last stored there.
    private var hits = InlineArray<16, Int>(repeating: 0)
    private var window = Window()
    private var lastDistance = 0
    /// Admissions to the main queue that are due.
    private var credit = 0.0
    /// The hits that a queue would have had beyond those of the kept entries.
    private var surplus = 0
    /// The windows that look like a loop, in a row; during a loop, its windows.
    private var windows = 0
    /// The ``windows`` that begin a loop; more after short ones, which cost hits.
    private var neededWindows = 1

    /// What happened since it was last decided.
    private struct Window {
        var stores = 0
        var hits = 0
        /// The stores of evicted keys, and the sum of the requests since each was stored before.
        var returns = 0
        var distances = 0
        /// The returns after about as many requests as the one before.
        var regular = 0
        /// The returns after at most as many requests as the store has entries.
        var near = 0
        /// The entries that were read before they left the small queue.
        var reads = 0
    }

    /// The part of the limits for new entries during a loop: a tenth.
    static let share = 10

    /// Evictions remembered per stored entry.
    ///
    /// A list ten times as long as the store returns after up to 20 times its entries.
    private static let reach = 24

    /// The number of loops after which all kept entries were replaced.
    ///
    /// Replacing them follows a changed loop or popularity, and costs half a hit for each.
    private static let loopsToRenew = 32.0

    mutating func noteRead() { window.reads += 1 }

    mutating func noteEviction(of hash: Int, storedAt time: UInt32, count: Int) {
        evicted.insert(hash, time: time, capacity: Self.reach * max(count, 64))
    }

    /// Counts the store of a key without an entry.
    ///
    /// - Parameters:
    ///   - hash: The key's hash.
    ///   - shardHits: The hits of the key's shard since the store was made.
    ///   - count: The number of entries.
    /// - Returns: Whether the entry belongs into the main queue, if this is a loop.
    mutating func noteStore(of hash: Int, shardHits: Int, count: Int) -> Bool {
        let newHits = shardHits &- hits[hash & 15]
        hits[hash & 15] = shardHits
        now &+= UInt32(truncatingIfNeeded: newHits &+ 1)
        window.hits += newHits
        window.stores += 1
        let isDue = noteReturn(of: hash, count: count)
        if window.stores >= max(count, 64) { decide(count: count) }
        return isDue
    }

    private mutating func noteReturn(of hash: Int, count: Int) -> Bool {
        guard let stored = evicted.take(hash) else { return false }
        let distance = max(Int(now &- stored), 1)
        window.returns += 1
        window.distances += distance
        if abs(distance - lastDistance) <= lastDistance / 8 { window.regular += 1 }
        if distance <= count { window.near += 1 }
        lastDistance = distance
        guard isLooping else { return false }
        credit += min(Double(count) / (Self.loopsToRenew * Double(distance)), 1)
        guard credit >= 1 else { return false }
        credit -= 1
        return true
    }

    private mutating func decide(count: Int) {
        defer { window = Window() }
        guard isLooping else {
            windows = resemblesLoop(count: count) ? windows + 1 : 0
            guard windows >= neededWindows else { return }
            (isLooping, windows, surplus, credit) = (true, 0, 0, 0)
            return
        }
        windows += 1
        surplus = max(surplus + window.near - window.hits, 0)
        guard surplus > count / 2 || 2 * window.returns < window.stores else { return }
        // 64 at most, so that a loop is noticed however irregular the past was.
        neededWindows =
            windows >= 4 * neededWindows ? max(neededWindows / 2, 1) : min(2 * neededWindows, 64)
        (isLooping, windows) = (false, 0)
    }

    /// Whether most stored keys return regularly, and a fixed part of them would have had more hits
    /// than the small queue.
    private func resemblesLoop(count: Int) -> Bool {
        guard 10 * window.regular >= 9 * window.stores else { return false }
        let mean = Double(window.distances) / Double(window.returns)
        let kept = 0.9 * Double(count) / mean
        return kept * Double(window.hits + window.stores) > Double(window.reads)
    }
}
