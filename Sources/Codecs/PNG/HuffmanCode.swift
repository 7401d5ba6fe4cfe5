/// The code of one of deflate's alphabets, the shortest for how often each symbol is written.
///
/// Source: RFC 1951, section 3.2.2.
struct HuffmanCode {
    /// Bits of each symbol; 0 for those that are not written.
    let lengths: [UInt8]
    /// For each symbol the code, its first bit lowest, above eight bits for its length.
    let entries: [UInt32]

    // The symbol is kept beside its count; 9 bits hold the largest.
    private static let symbolBits: UInt32 = 9

    /// - Parameters:
    ///   - counts: How often each symbol is written, below 2^23.
    ///   - limit: The longest code, in bits; 2^limit is at least the number of symbols.
    init(_ counts: [UInt32], limit: Int) {
        var keys: [UInt32] = []
        keys.reserveCapacity(counts.count)
        for (symbol, count) in counts.enumerated() where count > 0 {
            keys.append(count << Self.symbolBits | UInt32(symbol))
        }
        keys.sort()
        var lengths = [UInt8](repeating: 0, count: counts.count)
        var index = 0
        let numbers = Self.leaves(keys.map { $0 >> Self.symbolBits }, limit: limit)
        // The rarest have the longest.
        for length in stride(from: limit, through: 1, by: -1) {
            for _ in 0..<numbers[length] {
                lengths[Int(keys[index] & (1 << Self.symbolBits - 1))] = UInt8(length)
                index += 1
            }
        }
        self.lengths = lengths
        entries = Self.entries(of: lengths, numbers)
    }

    /// The bits that symbols take which are written so often.
    func bits(of counts: [UInt32]) -> Int {
        zip(counts, lengths).reduce(0) { $0 + Int($1.0) * Int($1.1) }
    }

    /// How many symbols have a code of each length, from their counts in ascending order.
    private static func leaves(_ counts: [UInt32], limit: Int) -> [Int] {
        var numbers = [Int](repeating: 0, count: limit + 1)
        let count = counts.count
        guard count > 1 else {
            numbers[1] = count
            return numbers
        }
        // The two rarest nodes get a parent until one is left; parents are made in ascending order.
        var weights = counts + [UInt32](repeating: 0, count: count - 1)
        var parents = [Int](repeating: 0, count: weights.count)
        var (leaf, inner) = (0, count)
        for parent in count..<weights.count {
            for _ in 0..<2 {
                let takesLeaf = leaf < count && (inner == parent || weights[leaf] <= weights[inner])
                let child = takesLeaf ? leaf : inner
                if takesLeaf { leaf += 1 } else { inner += 1 }
                weights[parent] += weights[child]
                parents[child] = parent
            }
        }
        var depths = [Int](repeating: 0, count: weights.count)
        for node in stride(from: weights.count - 2, through: 0, by: -1) {
            depths[node] = depths[parents[node]] + 1
            if node < count { numbers[min(depths[node], limit)] += 1 }
        }
        shorten(&numbers, limit: limit)
        return numbers
    }

    /// Makes room for codes that were cut to the limit: each takes the place of one beside a
    /// shorter code that gets longer by a bit.
    private static func shorten(_ numbers: inout [Int], limit: Int) {
        var taken = (1...limit).reduce(0) { $0 + numbers[$1] << (limit - $1) }
        while taken > 1 << limit {
            var shorter = limit - 1
            while numbers[shorter] == 0 { shorter -= 1 }
            numbers[limit] -= 1
            numbers[shorter] -= 1
            numbers[shorter + 1] += 2
            taken -= 1
        }
    }

    private static func entries(of lengths: [UInt8], _ numbers: [Int]) -> [UInt32] {
        var next = [UInt32](repeating: 0, count: numbers.count + 1)
        for length in 1..<numbers.count {
            next[length + 1] = (next[length] + UInt32(numbers[length])) << 1
        }
        return lengths.map { length in
            guard length > 0 else { return 0 }
            let code = next[Int(length)]
            next[Int(length)] += 1
            // Codes are written with their highest bit first.
            var reversed: UInt32 = 0
            for bit in 0..<UInt32(length) { reversed = reversed << 1 | (code >> bit & 1) }
            return reversed << 8 | UInt32(length)
        }
    }
}
