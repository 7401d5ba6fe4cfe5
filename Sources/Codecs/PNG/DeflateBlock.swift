/// How often a part of a deflate stream uses each symbol, and how it is written with codes of its
/// own.
///
/// Source: RFC 1951, section 3.2.7.
struct DeflateBlock {
    /// The distance of a match, 0 for a byte, below the match's length or the byte.
    typealias Token = UInt32

    static let lengthShift: UInt32 = 16
    static let endOfBlock = 256
    private static let symbolCount = 286
    private static let distanceCount = 30

    /// Bytes, the end of the block, lengths.
    private(set) var symbols = [UInt32](repeating: 0, count: symbolCount)
    private(set) var distances = [UInt32](repeating: 0, count: distanceCount)
    /// Bits beside the codes.
    private var extraBits = 0

    mutating func add(_ tokens: UnsafeBufferPointer<Token>) {
        // A buffer, because the array would be looked after for each token.
        var matches: [Token] = []
        symbols.withUnsafeMutableBufferPointer { symbols in
            for token in tokens {
                if token & 0xFFFF == 0 {
                    symbols[Int(token >> Self.lengthShift)] &+= 1
                } else {
                    matches.append(token)
                }
            }
        }
        for match in matches {
            let length = DeflateSymbol(length: match >> Self.lengthShift)
            let reach = DeflateSymbol(distance: match & 0xFFFF)
            symbols[Int(length.code)] += 1
            distances[Int(reach.code)] += 1
            extraBits += Int(length.extraBits + reach.extraBits)
        }
    }

    mutating func add(_ other: DeflateBlock) {
        for index in symbols.indices { symbols[index] += other.symbols[index] }
        for index in distances.indices { distances[index] += other.distances[index] }
        extraBits += other.extraBits
    }

    /// Whether both are shorter with codes of their own than with common ones.
    func isBetterApart(from other: DeflateBlock) -> Bool {
        var both = self
        both.add(other)
        return bits + other.bits + Self.usualHeaderBits < both.bits
    }

    /// What the bytes and lengths take with the best of codes.
    private var bits: Int {
        var total: UInt32 = 0
        var sum = 0
        for count in symbols where count > 0 {
            total += count
            sum -= Int(count) * Int(BinaryLogarithm.of(count))
        }
        guard total > 0 else { return 0 }
        return (sum + Int(total) * Int(BinaryLogarithm.of(total))) >> 8
    }

    /// Writes the tokens that were added, all of them.
    ///
    /// - Returns: False if there was not enough room.
    func write(
        _ tokens: UnsafeBufferPointer<Token>,
        isLast: Bool,
        to target: inout DeflateBits
    ) -> Bool {
        var symbols = symbols
        symbols[Self.endOfBlock] += 1
        let codes = (HuffmanCode(symbols, limit: 15), HuffmanCode(distances, limit: 15))
        let bits = codes.0.bits(of: symbols) + codes.1.bits(of: distances) + extraBits
        guard target.hasRoom(bits: Self.headerBits + bits) else { return false }
        Self.writeHeader(codes.0.lengths, codes.1.lengths, isLast: isLast, to: &target)
        codes.0.entries.withUnsafeBufferPointer { symbols in
            codes.1.entries.withUnsafeBufferPointer { distances in
                Self.write(tokens, symbols, distances, to: &target)
            }
        }
        return true
    }

    private static func write(
        _ tokens: UnsafeBufferPointer<Token>,
        _ symbols: UnsafeBufferPointer<UInt32>,
        _ distances: UnsafeBufferPointer<UInt32>,
        to target: inout DeflateBits
    ) {
        var bits = target
        for token in tokens {
            let distance = token & 0xFFFF
            let value = token >> lengthShift
            if distance == 0 {
                bits.add(symbols[Int(value)])
            } else {
                // 15 + 5 + 15 + 13 bits, and 7 that wait.
                let length = DeflateSymbol(length: value)
                bits.add(symbols[Int(length.code)])
                bits.add(length.extra, length.extraBits)
                let reach = DeflateSymbol(distance: distance)
                bits.add(distances[Int(reach.code)])
                bits.add(reach.extra, reach.extraBits)
            }
            bits.flush()
        }
        bits.add(symbols[endOfBlock])
        bits.flush()
        target = bits
    }

    // MARK: The header

    /// What the headers of photographs have.
    private static let usualHeaderBits = 600
    /// More than a header can have: its own codes, then seven bits and as many again for each length.
    private static let headerBits = 17 + 19 * 3 + (symbolCount + distanceCount) * 14
    /// The order in which the lengths of the codes for lengths are written.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static func writeHeader(
        _ symbols: [UInt8],
        _ distances: [UInt8],
        isLast: Bool,
        to target: inout DeflateBits
    ) {
        let symbolCount = max(257, used(symbols))
        let distanceCount = max(1, used(distances))
        let runs = runs(of: Array(symbols[..<symbolCount] + distances[..<distanceCount]))
        var counts = [UInt32](repeating: 0, count: order.count)
        for run in runs { counts[run.symbol] += 1 }
        let code = HuffmanCode(counts, limit: 7)
        let orderCount = max(4, 1 + (order.lastIndex { code.lengths[$0] > 0 } ?? 0))
        // 2: codes of its own.
        target.add((isLast ? 1 : 0) | 2 << 1, 3)
        target.add(UInt32(symbolCount - 257), 5)
        target.add(UInt32(distanceCount - 1), 5)
        target.add(UInt32(orderCount - 4), 4)
        target.flush()
        for symbol in order[..<orderCount] {
            target.add(UInt32(code.lengths[symbol]), 3)
            target.flush()
        }
        for run in runs {
            target.add(code.entries[run.symbol])
            target.add(run.extra, run.extraBits)
            target.flush()
        }
    }

    private static func used(_ lengths: [UInt8]) -> Int {
        1 + (lengths.lastIndex { $0 > 0 } ?? -1)
    }

    private typealias Run = (symbol: Int, extra: UInt32, extraBits: UInt32)

    /// Lengths as a header tells them: 16 repeats the one before, 17 and 18 zeros.
    private static func runs(of lengths: [UInt8]) -> [Run] {
        var runs: [Run] = []
        var rest = lengths[...]
        while let length = rest.first {
            var count = rest.prefix { $0 == length }.count
            rest = rest.dropFirst(count)
            if length > 0 {
                runs.append((Int(length), 0, 0))
                count -= 1
            }
            while count >= 3 {
                let (symbol, least, most, bits) =
                    length > 0 ? (16, 3, 6, 2) : count < 11 ? (17, 3, 10, 3) : (18, 11, 138, 7)
                let part = min(count, most)
                runs.append((symbol, UInt32(part - least), UInt32(bits)))
                count -= part
            }
            for _ in 0..<count { runs.append((Int(length), 0, 0)) }
        }
        return runs
    }
}
