private import CKFKernels

/// Box passes down the columns of a bitmap, in strips of one cache line.
struct BoxColumns {
    private let source: Bitmap
    private let size: Int
    private let passes: Int
    private let backend: Convolution.Backend

    /// Bytes in a strip's row: 16 pixels.
    private static let strip = 64

    /// Whether the column sums fit 16 bits, in which the reciprocal is exact enough.
    private var isNarrow: Bool { size <= 127 }

    init(_ source: Bitmap, size: Int, passes: Int, backend: Convolution.Backend) {
        self.source = source
        self.size = size
        self.passes = passes
        self.backend = backend
    }

    /// The filtered bitmap with rows and columns exchanged.
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
                transpose(
                    result,
                    columns: width,
                    to: out + left * bytesPerRow,
                    bytesPerRow: bytesPerRow
                )
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
            pass(from, to, factors: scratch + 2 * source.height * Self.strip)
            swap(&from, &to)
        }
        return from
    }

    /// One pass down a whole strip.
    private func pass(
        _ from: UnsafeMutableRawPointer,
        _ to: UnsafeMutableRawPointer,
        factors: UnsafeMutableRawPointer
    ) {
        #if arch(x86_64) || arch(arm64)
        if isNarrow, backend == .twin {
            kf_box_strip(
                from.assumingMemoryBound(to: UInt8.self),
                to.assumingMemoryBound(to: UInt8.self),
                Int32(source.height),
                Int32(size)
            )
            return
        }
        #endif
        var column = 0
        while column < Self.strip {
            if isNarrow {
                narrowPass(from + column, to + column, factors)
            } else {
                widePass(from + column, to + column)
            }
            column += 16
        }
    }

    /// Writes the first `columns` pixels of a strip's rows as rows of the target.
    private func transpose(
        _ strip: UnsafeMutableRawPointer,
        columns: Int,
        to out: UnsafeMutableRawPointer,
        bytesPerRow: Int
    ) {
        #if arch(x86_64) || arch(arm64)
        if backend == .twin {
            kf_transpose_strip(
                strip.assumingMemoryBound(to: UInt8.self),
                Int32(source.height),
                Int32(columns),
                out.assumingMemoryBound(to: UInt8.self),
                bytesPerRow
            )
            return
        }
        #endif
        var x = 0
        while x < columns {
            let row = out + x * bytesPerRow
            var y = 0
            while y < source.height {
                let pixel = strip.load(fromByteOffset: y * Self.strip + x * 4, as: UInt32.self)
                row.storeBytes(of: pixel, toByteOffset: y * 4, as: UInt32.self)
                y += 1
            }
            x += 1
        }
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
            of: SIMD4(repeating: UInt32((65_536 + size - 1) / size)),
            as: SIMD4<UInt32>.self
        )
        // Near the edges, one end of the window stays on the edge row.
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

    /// The same for wide boxes, byte by byte in 64 bits.
    private func widePass(_ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer) {
        let last = source.height - 1
        let radius = size / 2
        let reciprocal = ((UInt64(1) << 40) + UInt64(size) - 1) / UInt64(size)
        var byte = 0
        while byte < 16 {
            let column = UnsafeRawPointer(from + byte)
            var sum = value(column, 0) &* UInt64(radius + 1) &+ UInt64(radius)
            let lead = Self.lead(radius: radius, last: last)
            var y = 1
            while y <= lead {
                sum &+= value(column, y)
                y &+= 1
            }
            // The rest of the first window lies beyond the edge.
            sum &+= value(column, last) &* UInt64(radius &- lead)
            y = 0
            while y <= last {
                let mean = UInt8(truncatingIfNeeded: (sum &* reciprocal) >> 40)
                to.storeBytes(of: mean, toByteOffset: y * Self.strip + byte, as: UInt8.self)
                sum =
                    sum &+ value(column, min(last, y + radius + 1))
                    &- value(column, max(0, y - radius))
                y &+= 1
            }
            byte += 1
        }
    }

    /// How many rows below the first one the first window reads one by one.
    static func lead(radius: Int, last: Int) -> Int { min(radius, last) }

    @inline(__always)
    private func value(_ column: UnsafeRawPointer, _ y: Int) -> UInt64 {
        UInt64(column.load(fromByteOffset: y &* Self.strip, as: UInt8.self))
    }
}

/// Running sums of sixteen columns of bytes, with even and odd columns separate.
///
/// Splitting and joining bytes by masks and shifts is cheaper than SIMD conversions.
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

    /// Writes the means of `rows` rows, moving the window down by one row after each.
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
            // Loaded from memory each time, so that the compiler sees that the factors, like the
            // sums, have 15 bits, and uses the 16-bit multiply instruction.
            let factor = factors.load(as: SIMD4<UInt32>.self) & 0x7FFF
            let mean = Self.means(even, factor) | (Self.means(odd, factor) &<< 8)
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

    /// The upper halves of eight products of 15 bits.
    @inline(__always)
    private static func means(_ sums: Words, _ factor: SIMD4<UInt32>) -> Words {
        let pairs = unsafeBitCast(sums, to: SIMD4<UInt32>.self)
        let low = (pairs & 0x7FFF) &* factor
        let high = ((pairs &>> 16) & 0x7FFF) &* factor
        return unsafeBitCast((low &>> 16) | (high & 0xFFFF_0000), to: Words.self)
    }
}
