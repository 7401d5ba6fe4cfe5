/// The hashes of entries recently evicted from the small queue; the oldest are dropped first.
///
/// A key stored again while its hash is here has been requested repeatedly.
struct GhostQueue {
    private var order = FIFO<(hash: Int, turn: UInt64)>()
    private var turns: [Int: UInt64] = [:]
    private var nextTurn: UInt64 = 0

    mutating func insert(_ hash: Int, capacity: Int) {
        nextTurn += 1
        turns[hash] = nextTurn
        order.append((hash, nextTurn))
        while order.count > capacity, let oldest = order.popFirst() {
            // Ignore hashes that were removed or inserted again meanwhile.
            if turns[oldest.hash] == oldest.turn { turns[oldest.hash] = nil }
        }
    }

    /// Removes a hash and returns whether it was present.
    mutating func take(_ hash: Int) -> Bool { turns.removeValue(forKey: hash) != nil }

    func remembers(_ hash: Int) -> Bool { turns[hash] != nil }

    mutating func removeAll() {
        order.removeAll()
        turns = [:]
    }
}
