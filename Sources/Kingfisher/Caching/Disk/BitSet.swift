/// A set of small numbers with one bit for each.
struct BitSet {
    private var words: ContiguousArray<UInt64> = []

    func contains(_ number: Int) -> Bool {
        number >> 6 < words.count && words[number >> 6] >> UInt64(number & 63) & 1 != 0
    }

    mutating func insert(_ number: Int) {
        let missing = (number >> 6) + 1 - words.count
        if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }
}
