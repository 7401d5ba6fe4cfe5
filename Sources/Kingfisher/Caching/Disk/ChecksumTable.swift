/// Finds files of a disk index by the checksums of their bytes.
///
/// Open addressing with linear probing; a cell takes five bytes. The table has numbers of files,
/// whose checksums the caller knows.
struct ChecksumTable: Sendable {
    /// An odd random factor: an attacker may choose the bytes, and so their checksums.
    private static let factor = UInt64.random(in: .min ... .max) | 1
    // The files with one checksum. An attacker can make more, which are then not found.
    private static let maximalEqual = 8

    /// Eight bits of the hash for each cell; 0 if it is empty.
    private var tags = ContiguousArray<UInt8>(repeating: 0, count: 8)
    private var numbers = ContiguousArray<Int32>(repeating: 0, count: 8)
    private var count = 0

    /// Makes room for a number of files, so that an empty table does not grow to it step by step.
    mutating func reserve(_ count: Int) {
        guard self.count == 0 else { return }
        var size = tags.count
        while 4 * size < 5 * count { size *= 2 }
        tags = ContiguousArray(repeating: 0, count: size)
        numbers = ContiguousArray(repeating: 0, count: size)
    }

    private static func tag(_ hash: UInt64) -> UInt8 { max(1, UInt8(truncatingIfNeeded: hash)) }

    private func home(_ hash: UInt64) -> Int { Int(hash >> 32) & (tags.count - 1) }

    private func next(_ cell: Int) -> Int { (cell + 1) & (tags.count - 1) }

    /// The number that satisfies a condition, among those that may have a checksum.
    func number(of checksum: UInt64, where isRight: (Int32) -> Bool) -> Int32? {
        cell(of: checksum, where: isRight).map { numbers[$0] }
    }

    private func cell(of checksum: UInt64, where isRight: (Int32) -> Bool) -> Int? {
        let hash = checksum &* Self.factor
        let tag = Self.tag(hash)
        var cell = home(hash)
        while tags[cell] != 0 {
            if tags[cell] == tag, isRight(numbers[cell]) { return cell }
            cell = next(cell)
        }
        return nil
    }

    /// Adds a number that is not in the table.
    mutating func insert(_ number: Int32, _ checksum: UInt64, checksumOf: (Int32) -> UInt64) {
        if 5 * (count + 1) > 4 * tags.count { grow(checksumOf) }
        let hash = checksum &* Self.factor
        let tag = Self.tag(hash)
        var cell = home(hash)
        var equal = 0
        while tags[cell] != 0 {
            if tags[cell] == tag, checksumOf(numbers[cell]) == checksum {
                equal += 1
                if equal == Self.maximalEqual {
                    numbers[cell] = number
                    return
                }
            }
            cell = next(cell)
        }
        count += 1
        (tags[cell], numbers[cell]) = (tag, number)
    }

    /// Replaces a number by another one with the same checksum.
    mutating func replace(_ number: Int32, by other: Int32, _ checksum: UInt64) {
        if let cell = cell(of: checksum, where: { $0 == number }) { numbers[cell] = other }
    }

    /// Removes a number, if the table has it.
    mutating func remove(_ number: Int32, _ checksum: UInt64, checksumOf: (Int32) -> UInt64) {
        guard var hole = cell(of: checksum, where: { $0 == number }) else { return }
        count -= 1
        var other = hole
        while true {
            tags[hole] = 0
            // Moves up a number that a search would no longer reach across the hole.
            repeat {
                other = next(other)
                if tags[other] == 0 { return }
            } while distance(from: home(checksumOf(numbers[other]) &* Self.factor), to: other)
                < distance(from: hole, to: other)
            (tags[hole], numbers[hole]) = (tags[other], numbers[other])
            hole = other
        }
    }

    private func distance(from: Int, to: Int) -> Int { (to - from) & (tags.count - 1) }

    private mutating func grow(_ checksumOf: (Int32) -> UInt64) {
        let (oldTags, oldNumbers) = (tags, numbers)
        tags = ContiguousArray(repeating: 0, count: 2 * oldTags.count)
        numbers = ContiguousArray(repeating: 0, count: 2 * oldTags.count)
        for (tag, number) in zip(oldTags, oldNumbers) where tag != 0 {
            var cell = home(checksumOf(number) &* Self.factor)
            while tags[cell] != 0 { cell = next(cell) }
            (tags[cell], numbers[cell]) = (tag, number)
        }
    }
}
