/// The hashes of entries that left the small queue lately, the oldest forgotten first.
///
/// A key that comes back while it is remembered has shown that it is wanted more than once.
struct GhostQueue {
    private var order = FIFO<(hash: Int, turn: UInt64)>()
    private var turns: [Int: UInt64] = [:]
    private var nextTurn: UInt64 = 0

    mutating func insert(_ hash: Int, capacity: Int) {
        nextTurn += 1
        turns[hash] = nextTurn
        order.append((hash, nextTurn))
        while order.count > capacity, let oldest = order.popFirst() {
            // A hash that was taken out or came again since has another turn, or none.
            if turns[oldest.hash] == oldest.turn { turns[oldest.hash] = nil }
        }
    }

    /// Forgets a hash and returns whether it was remembered.
    mutating func take(_ hash: Int) -> Bool { turns.removeValue(forKey: hash) != nil }

    func remembers(_ hash: Int) -> Bool { turns[hash] != nil }

    mutating func removeAll() {
        order.removeAll()
        turns = [:]
    }
}
