import KFPixels

/// Compresses the pixels of one GIF frame.
///
/// A pixel that may be stored as its own colour or as the transparent one gets what belongs to the
/// longer string. A string ends a pixel early if the next one then becomes longer by more than that
/// pixel. A full table is kept while it compresses well.
///
/// Sources: CompuServe, Graphics Interchange Format, Version 89a, appendix F (LZW); Horspool, "The
/// Effect of Non-Greedy Parsing in Ziv-Lempel Compression Methods" (1995).
struct GIFCompressor {
    /// Codes have at most 12 bits.
    private static let codeCount = 4096
    /// The codes after which the compression is compared.
    private static let windowLength = 256
    /// How many strings are followed that show the same pixels; more make files hardly smaller.
    private static let mostStrings = 4

    /// The indices of the pixels; the transparent one for those that do not change.
    private let stored: UnsafeBufferPointer<UInt8>
    /// The same with the own colours of those.
    private let own: UnsafeBufferPointer<UInt8>
    private let prefersOwn: Bool
    /// The bits of an index, at least 2.
    private let bits: Int

    /// The code of a string and one more pixel, in rows of the string's code; 0 for none.
    private let longer: UnsafeMutablePointer<UInt16>
    private var next = 0
    private var width = 0
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var pendingBits = 0

    /// Compresses a frame in each way, and returns the shortest codes.
    ///
    /// - Parameters:
    ///   - image: The frame.
    ///   - bits: The bits of an index, 2…8.
    ///   - check: Asked some thousand pixels apart whether to go on.
    /// - Returns: The codes, without the division into blocks.
    /// - Throws: The error of `check`.
    static func codes(
        of image: GIFImage,
        bits: Int,
        check: () throws(CodecError) -> Void
    ) throws(CodecError) -> [UInt8] {
        let table = UnsafeMutablePointer<UInt16>.allocate(capacity: codeCount << bits)
        defer { table.deallocate() }
        return try withExtendedLifetime(image) { () throws(CodecError) in
            let stored = image.pixels.indices
            let own = image.ownColors?.indices
            let ways = own.map { [(stored, false), ($0, false), ($0, true)] } ?? [(stored, false)]
            var best: [UInt8]?
            for (own, prefersOwn) in ways {
                var compressor = Self(
                    stored: stored,
                    own: own,
                    prefersOwn: prefersOwn,
                    bits: bits,
                    longer: table
                )
                let codes = try compressor.run(check)
                if codes.count < best?.count ?? .max { best = codes }
            }
            return best ?? []
        }
    }

    private mutating func run(
        _ check: () throws(CodecError) -> Void
    ) throws(CodecError) -> [UInt8] {
        clear()
        var position = 0
        var last: Int?
        var window = (codes: 0, pixels: 0, most: 0)
        var string = longest(at: 0)
        while position < count {
            if let last {
                add(string.first, to: last)
                // The new string is the one before and this one's first pixel, and may continue here.
                if string.code == last {
                    string = longest(from: position, as: string.first, to: count)
                }
            }
            var next = longest(at: position + string.length)
            if string.length > 1, position + string.length < count {
                let end = position + string.length - 1
                let other = longest(at: end)
                if other.length > next.length + 1 {
                    string = longest(from: position, as: string.first, to: end)
                    next = other
                }
            }
            write(string.code)
            position += string.length
            last = string.code
            window.codes += 1
            window.pixels += string.length
            string = next
            guard window.codes == Self.windowLength else { continue }
            try check()
            window.most = max(window.most, window.pixels)
            if isFull, window.pixels * 10 < window.most * 9 {
                clear()
                (last, window.most) = (nil, 0)
                string = longest(at: position)
            }
            (window.codes, window.pixels) = (0, 0)
        }
        widen()
        write((1 << bits) + 1)
        if pendingBits > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
        return bytes
    }

    private var count: Int { stored.count }

    // MARK: Strings

    /// A string of the table, and where it is found in the pixels.
    private struct Match {
        /// The index of its first pixel.
        let first: Int
        /// In pixels.
        let length: Int
        let code: Int
    }

    /// The indices that show a pixel, the preferred one first; equal ones if there is no choice.
    @inline(__always)
    private func choice(at position: Int) -> (Int, Int) {
        let (stored, own) = (Int(stored[position]), Int(own[position]))
        guard own < 1 << bits else { return (stored, stored) }
        return prefersOwn ? (own, stored) : (stored, own)
    }

    /// The longest string of the table at a position; empty at the end.
    private func longest(at position: Int) -> Match {
        guard position < count else { return Match(first: 0, length: 0, code: 0) }
        let (one, other) = choice(at: position)
        let match = longest(from: position, as: one, to: count)
        guard one != other else { return match }
        let second = longest(from: position, as: other, to: count)
        return second.length > match.length ? second : match
    }

    /// The longest string of the table from an index, which ends before a position.
    private func longest(from start: Int, as first: Int, to end: Int) -> Match {
        // Some of the strings that show the same.
        var found = InlineArray<4, UInt16>(repeating: UInt16(first))
        var foundCount = 1
        var position = start + 1
        while position < end {
            let (one, other) = choice(at: position)
            var extended = InlineArray<4, UInt16>(repeating: 0)
            var extendedCount = 0
            for index in 0..<foundCount {
                let row = longer + Int(found[index]) << bits
                if row[one] != 0, extendedCount < Self.mostStrings {
                    extended[extendedCount] = row[one]
                    extendedCount += 1
                }
                if one != other, row[other] != 0, extendedCount < Self.mostStrings {
                    extended[extendedCount] = row[other]
                    extendedCount += 1
                }
            }
            guard extendedCount > 0 else { break }
            (found, foundCount) = (extended, extendedCount)
            position += 1
        }
        return Match(first: first, length: position - start, code: Int(found[0]))
    }

    // MARK: Codes

    private var isFull: Bool { next == Self.codeCount }

    /// Begins a new table.
    private mutating func clear() {
        let code = 1 << bits
        if next == 0 { width = bits + 1 } else { widen() }
        write(code)
        (next, width) = (code + 2, bits + 1)
        longer.update(repeating: 0, count: next << bits)
    }

    /// Adds the string that readers add: the one before, and the first pixel of this one.
    private mutating func add(_ pixel: Int, to last: Int) {
        guard next < Self.codeCount else { return }
        widen()
        (longer + next << bits).update(repeating: 0, count: 1 << bits)
        let place = last << bits | pixel
        if longer[place] == 0 { longer[place] = UInt16(next) }
        next += 1
    }

    /// Makes room for the number of the next string.
    private mutating func widen() {
        if next == 1 << width, width < 12 { width += 1 }
    }

    private mutating func write(_ code: Int) {
        pending |= UInt32(code) << pendingBits
        pendingBits += width
        while pendingBits >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingBits -= 8
        }
    }
}
