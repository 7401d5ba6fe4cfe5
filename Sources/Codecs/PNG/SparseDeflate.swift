import CDeflate

/// Compresses what filters leave of a photograph: a zlib stream of bytes with few matches.
///
/// Such bytes hardly repeat, but each of them is worth few bits: most matches that deflate's usual
/// searches find cost more than the bytes themselves. So runs are looked for, and for every place
/// the last one that began with the same four bytes; a match is taken if the bytes that it
/// replaces cost more, and by as much as it spoils the codes for others. The codes change where
/// the picture does. Files are as small as libpng's, or smaller, in a seventh of its time.
struct SparseDeflate {
    private typealias Token = DeflateBlock.Token

    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private let scratch: Scratch
    private var position = 0
    /// Up to where ``Scratch/costs`` go, and from where.
    private var costsEnd = 0
    private var costsStart = 0
    /// What a literal costs, in sixteenths of a bit.
    private var literalCosts = [UInt32](repeating: 0, count: 256)

    private static let hashBits: UInt64 = 14
    private static let longest = 258
    private static let reach: UInt32 = 32_768
    /// What a block is made of; short enough to follow a picture, long enough to tell a change.
    private static let chunkLength = 4096
    private static let maxBlockLength = 16 * chunkLength
    private static let windowLength = 8192
    /// So many bytes are read beyond a place that may have a match.
    private static let margin = 16
    // In sixteenths of a bit. A code for a length takes some 8 bits and one for a distance 5; 2 more
    // have to be won, as rarer codes are longer ones.
    private static let matchCost: UInt32 = (8 + 5 + 2) * 16
    // The only near distance has a short code.
    private static let runCost: UInt32 = (8 + 2) * 16

    private init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        self.bytes = bytes
        self.count = count
        scratch = Scratch()
        // Until there are codes: the first bytes tell what is rare.
        var first = DeflateBlock()
        for index in 0..<min(count, Self.windowLength) {
            scratch.tokens[index] = Token(bytes[index]) << DeflateBlock.lengthShift
        }
        first.add(UnsafeBufferPointer(start: scratch.tokens, count: min(count, Self.windowLength)))
        price(first)
    }

    /// The most bytes that `count` can become.
    ///
    /// Codes are no longer, all in all, than codes of nine bits for every byte and length and of five
    /// for every distance: a byte takes nine bits, a match no more than what it replaces. Headers are
    /// a seventh of the shortest blocks at most.
    static func bound(_ count: Int) -> Int { count + count / 3 + 1024 }

    /// Writes a zlib stream.
    ///
    /// - Returns: Its length, or 0 if there is not enough room.
    static func compress(
        _ bytes: UnsafePointer<UInt8>,
        _ count: Int,
        to target: UnsafeMutablePointer<UInt8>,
        room: Int
    ) -> Int {
        var deflate = SparseDeflate(bytes, count)
        // The checksum comes last.
        guard room > 6 else { return 0 }
        // A window of 32 KB, a quick search.
        target[0] = 0x78
        target[1] = 0x5E
        var bits = DeflateBits(target + 2, room: room - 6)
        guard deflate.write(to: &bits) else { return 0 }
        bits.finish()
        let checksum = libdeflate_adler32(1, bytes, count).bigEndian
        UnsafeMutableRawPointer(bits.place).storeBytes(of: checksum, as: UInt32.self)
        return bits.place + 4 - target
    }

    private mutating func write(to target: inout DeflateBits) -> Bool {
        var block = DeflateBlock()
        var length = 0
        repeat {
            let chunk = nextChunk(scratch.tokens + length)
            var counts = DeflateBlock()
            counts.add(UnsafeBufferPointer(start: scratch.tokens + length, count: chunk))
            let isFull = length + chunk > Self.maxBlockLength
            if length > 0, isFull || block.isBetterApart(from: counts) {
                let tokens = UnsafeBufferPointer(start: scratch.tokens, count: length)
                guard block.write(tokens, isLast: false, to: &target) else { return false }
                price(block)
                costsEnd = 0
                scratch.tokens.update(from: scratch.tokens + length, count: chunk)
                (block, length) = (counts, chunk)
            } else {
                block.add(counts)
                length += chunk
            }
        } while position < count
        let tokens = UnsafeBufferPointer(start: scratch.tokens, count: length)
        return block.write(tokens, isLast: true, to: &target)
    }

    // MARK: Matches

    /// Finds the next tokens, and returns how many.
    private mutating func nextChunk(_ tokens: UnsafeMutablePointer<Token>) -> Int {
        var length = 0
        while length < Self.chunkLength, position < count {
            if position >= costsEnd { sumCosts() }
            let end = min(costsEnd, count - Self.margin)
            if position == 0 || position >= end {
                tokens[length] = Token(bytes[position]) << DeflateBlock.lengthShift
                length += 1
                position += 1
            } else {
                findMatches(until: end, tokens, &length)
            }
        }
        return length
    }

    /// The loop over all bytes: what can be had without a branch is, because nearly every place has
    /// a match, and nearly none is worth it.
    private mutating func findMatches(
        until end: Int,
        _ tokens: UnsafeMutablePointer<Token>,
        _ length: inout Int
    ) {
        let raw = UnsafeRawPointer(bytes)
        let (places, costs) = (scratch.places, scratch.costs)
        let start = costsStart
        var (position, written) = (position, length)
        while position < end, written < Self.chunkLength {
            let next = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
            // Four bytes, spread over all bits by the golden ratio.
            let hash = Int((next &<< 32 &* 0x9E37_79B9_7F4A_7C15) &>> (64 - Self.hashBits))
            // Places are kept without their upper half. A stale one is some other place before this
            // one, and its bytes tell whether it is of use.
            let here = UInt16(truncatingIfNeeded: position)
            let distance = UInt32(here &- places[hash])
            places[hash] = here
            let there = position &- Int(distance)
            let other = raw.loadUnaligned(fromByteOffset: there, as: UInt64.self).littleEndian
            // The last bit is set, so that there is one; seven bytes are enough to judge by.
            let equal = ((next ^ other) | 1 &<< 63).trailingZeroBitCount &>> 3
            let cost = costs[position &- start &+ equal] &- costs[position &- start]
            let isNear = distance &- 1 < Self.reach
            let extra = max(0, 30 &- ((distance &- 1) | 1).leadingZeroBitCount)
            let price = Self.matchCost &+ UInt32(truncatingIfNeeded: extra) &<< 4
            let isWorthIt = (isNear ? cost : 0) > price
            let isRun = (next ^ (next &<< 8 | UInt64(bytes[position &- 1]))) & 0xFF_FFFF == 0
            if isRun || isWorthIt {
                let reach = isRun ? 1 : distance
                let matched = matchedLength(position, reach)
                if isRun ? isRunWorthIt(position, matched) : matched > 3 {
                    tokens[written] = Token(matched) << DeflateBlock.lengthShift | reach
                    written += 1
                    position += matched
                    continue
                }
            }
            tokens[written] = Token(truncatingIfNeeded: next & 0xFF) &<< DeflateBlock.lengthShift
            written &+= 1
            position &+= 1
        }
        (self.position, length) = (position, written)
    }

    private func isRunWorthIt(_ position: Int, _ length: Int) -> Bool {
        let symbol = DeflateSymbol(length: UInt32(length))
        let cost = UInt32(length) * literalCosts[Int(bytes[position])]
        return cost > Self.runCost + symbol.extraBits << 4
    }

    private func matchedLength(_ position: Int, _ distance: UInt32) -> Int {
        let most = min(Self.longest, count - position)
        let here = bytes + position
        let there = here - Int(distance)
        var length = 0
        while length < most, here[length] == there[length] { length += 1 }
        return length
    }

    // MARK: Prices

    /// Learns from a block what bytes cost.
    private mutating func price(_ block: DeflateBlock) {
        // A third of a use for each, so that what is not used has a price.
        let total = block.symbols.reduce(0) { $0 + $1 * 3 + 1 }
        let all = BinaryLogarithm.of(total)
        for byte in 0..<256 {
            literalCosts[byte] = (all - BinaryLogarithm.of(block.symbols[byte] * 3 + 1)) >> 4
        }
    }

    /// Sums up what the bytes from here on cost, so that two sums tell the cost of those between.
    private mutating func sumCosts() {
        costsStart = position
        costsEnd = min(count, position + Self.windowLength)
        let sums = scratch.costs
        var sum: UInt32 = 0
        literalCosts.withUnsafeBufferPointer { costs in
            for index in 0..<(costsEnd - costsStart) {
                sums[index] = sum
                sum &+= costs[Int(bytes[costsStart + index])]
            }
        }
        for index in 0..<Self.margin { sums[costsEnd - costsStart + index] = sum }
    }

    /// Memory of a compression.
    private final class Scratch {
        let tokens = UnsafeMutablePointer<Token>.allocate(capacity: maxBlockLength + chunkLength)
        let costs = UnsafeMutablePointer<UInt32>.allocate(capacity: windowLength + margin)
        /// For each hash the last place that had it.
        let places = UnsafeMutablePointer<UInt16>.allocate(capacity: 1 << hashBits)

        init() {
            // The first place is before all others.
            places.initialize(repeating: 0, count: 1 << hashBits)
        }

        deinit {
            tokens.deallocate()
            costs.deallocate()
            places.deallocate()
        }
    }
}
