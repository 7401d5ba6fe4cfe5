/// Box passes down the columns of a picture, in strips of one cache line.
struct BoxColumns {
    private let source: Bitmap
    private let size: Int
    private let passes: Int

    /// Bytes in a strip's row: 16 pixels.
    private static let strip = 64

    init(_ source: Bitmap, size: Int, passes: Int) {
        self.source = source
        self.size = size
        self.passes = passes
    }

    /// The filtered picture with rows and columns exchanged.
    func transposed() throws(PixelError) -> Bitmap {
        let height = source.height
        let stripPixels = Self.strip / Bitmap.bytesPerPixel
        let strips = (source.width + stripPixels - 1) / stripPixels
        let storage = try Bitmap.allocate(source.size.transposed)
        let bytesPerRow = height * Bitmap.bytesPerPixel
        let out = storage.base
        try RowBands.run(rows: strips, work: source.width * height) { range throws(PixelError) in
            // One more row at the end for the reciprocals.
            let scratch = try PixelStorage(byteCount: (2 * height + 1) * Self.strip)
            for index in range {
                let left = index * stripPixels
                let width = min(stripPixels, source.width - left)
                let result = filter(left: left, width: width, scratch: scratch.base)
                for x in 0..<width {
                    let row = out + (left + x) * bytesPerRow
                    for y in 0..<height {
                        let pixel = result.load(
                            fromByteOffset: y * Self.strip + x * 4,
                            as: UInt32.self
                        )
                        row.storeBytes(of: pixel, toByteOffset: y * 4, as: UInt32.self)
                    }
                }
            }
        }
        return Bitmap(
            size: source.size.transposed,
            bytesPerRow: bytesPerRow,
            isOpaque: source.isOpaque,
            storage: storage
        )
    }

    private func filter(
        left: Int,
        width: Int,
        scratch: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var from = scratch
        var to = scratch + source.height * Self.strip
        source.withPixels { pixels, stride in
            for y in 0..<source.height {
                let row = UnsafeRawPointer(pixels + y * stride + left * 4)
                (from + y * Self.strip).copyMemory(from: row, byteCount: width * 4)
            }
        }
        for _ in 0..<passes {
            for column in Swift.stride(from: 0, to: Self.strip, by: 16) {
                // Up to 127 rows the sums fit 16 bits and the reciprocal is exact enough.
                if size <= 127 {
                    let factors = scratch + 2 * source.height * Self.strip
                    narrowPass(from + column, to + column, factors)
                } else {
                    widePass(from + column, to + column)
                }
            }
            swap(&from, &to)
        }
        return from
    }

    /// Sixteen bytes wide: `(sum + size / 2) × ⌈65536 / size⌉ / 65536`.
    private func narrowPass(
        _ from: UnsafeMutableRawPointer,
        _ to: UnsafeMutableRawPointer,
        _ factors: UnsafeMutableRawPointer
    ) {
        let last = source.height - 1
        let radius = size / 2
        var sums = NarrowSums(firstRow: from, weight: UInt16(radius + 1), half: UInt16(radius))
        for y in 1..<(radius + 1) { sums.add(from + min(last, y) * Self.strip) }
        factors.storeBytes(
            of: SIMD8(repeating: UInt16((65_536 + size - 1) / size)),
            as: SIMD8<UInt16>.self
        )
        // Near the edges one end of the window stands still on the edge row.
        let leaving = min(radius, last + 1)
        let arriving = max(0, last - radius)
        let phases = [0, min(leaving, arriving), max(leaving, arriving), last + 1]
        for phase in 0..<3 {
            let start = phases[phase]
            sums.slide(
                rows: phases[phase + 1] - start,
                to: to + start * Self.strip,
                adding: from + min(last, start + radius + 1) * Self.strip,
                every: start < arriving ? Self.strip : 0,
                removing: from + max(0, start - radius) * Self.strip,
                every: start >= leaving ? Self.strip : 0,
                factors: factors,
                strip: Self.strip
            )
        }
    }

    /// The same for wide boxes, pixel by pixel in 64 bits.
    private func widePass(_ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer) {
        let last = source.height - 1
        let radius = size / 2
        let reciprocal = ((UInt64(1) << 40) + UInt64(size) - 1) / UInt64(size)
        for byte in 0..<16 {
            func value(_ y: Int) -> UInt64 {
                let offset = max(0, min(last, y)) * Self.strip + byte
                return UInt64(from.load(fromByteOffset: offset, as: UInt8.self))
            }
            var sum = value(0) * UInt64(radius + 1) + UInt64(radius)
            for y in 1..<(radius + 1) { sum += value(y) }
            for y in 0...last {
                let mean = UInt8(truncatingIfNeeded: (sum &* reciprocal) >> 40)
                to.storeBytes(of: mean, toByteOffset: y * Self.strip + byte, as: UInt8.self)
                sum = sum &+ value(y + radius + 1) &- value(y - radius)
            }
        }
    }
}

/// Running sums of sixteen columns of bytes, even and odd ones apart.
///
/// Masks and shifts take bytes apart and put them together for less than SIMD conversions cost.
private struct NarrowSums {
    private typealias Words = SIMD8<UInt16>

    private var even: SIMD8<UInt16>
    private var odd: SIMD8<UInt16>

    init(firstRow: UnsafeMutableRawPointer, weight: UInt16, half: UInt16) {
        let bytes = firstRow.load(as: Words.self)
        even = (bytes & 0xFF) &* weight &+ half
        odd = (bytes &>> 8) &* weight &+ half
    }

    mutating func add(_ row: UnsafeMutableRawPointer) {
        let bytes = row.load(as: Words.self)
        even &+= bytes & 0xFF
        odd &+= bytes &>> 8
    }

    /// Writes the means of `rows` rows, and moves the window one row on after each.
    mutating func slide(
        rows: Int,
        to target: UnsafeMutableRawPointer,
        adding first: UnsafeMutableRawPointer,
        every addingStep: Int,
        removing second: UnsafeMutableRawPointer,
        every removingStep: Int,
        factors: UnsafeMutableRawPointer,
        strip: Int
    ) {
        var out = target
        var added = first
        var removed = second
        var even = even
        var odd = odd
        for _ in 0..<rows {
            // Read again from memory each time: only then does the compiler see that the factors
            // have 16 bits, and use the instruction that multiplies those.
            let factor = SIMD8<UInt32>(truncatingIfNeeded: factors.load(as: Words.self))
            let first = (SIMD8<UInt32>(truncatingIfNeeded: even) &* factor) &>> 16
            let second = (SIMD8<UInt32>(truncatingIfNeeded: odd) &* factor) &>> 16
            let mean =
                Words(truncatingIfNeeded: first) | (Words(truncatingIfNeeded: second) &<< 8)
            out.storeBytes(of: mean, as: Words.self)
            let plus = added.load(as: Words.self)
            let minus = removed.load(as: Words.self)
            even = even &+ (plus & 0xFF) &- (minus & 0xFF)
            odd = odd &+ (plus &>> 8) &- (minus &>> 8)
            out += strip
            added += addingStep
            removed += removingStep
        }
        self.even = even
        self.odd = odd
    }
}
