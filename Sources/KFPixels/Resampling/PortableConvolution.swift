/// The passes of a separable filter in Swift, for processors without a twin in C.
///
/// Both work on pairs: a 16-bit value next to its neighbour's, so that one multiply-add instruction
/// handles two taps. The pairs go through memory on purpose; the optimizer would take them apart in
/// registers.
enum PortableConvolution {
    /// Interleaves each channel of each pixel with that of the next pixel: eight values per pixel.
    static func pairPixels(
        _ source: UnsafePointer<UInt8>,
        length: Int,
        into pairs: UnsafeMutableRawPointer
    ) {
        let input = UnsafeRawPointer(source)
        for x in 0..<(length - 1) {
            let one = input.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
            let two = input.loadUnaligned(fromByteOffset: x * 4 + 4, as: SIMD4<UInt8>.self)
            // A byte in the low half of each lane, its neighbour in the high half.
            let low = SIMD4<UInt32>(truncatingIfNeeded: one)
            let high = SIMD4<UInt32>(truncatingIfNeeded: two)
            pairs.storeBytes(
                of: low | (high &<< 16),
                toByteOffset: x * 16,
                as: SIMD4<UInt32>.self
            )
        }
        let last = input.loadUnaligned(fromByteOffset: length * 4 - 4, as: SIMD4<UInt8>.self)
        pairs.storeBytes(
            of: SIMD4<UInt32>(truncatingIfNeeded: last),
            toByteOffset: length * 16 - 16,
            as: SIMD4<UInt32>.self
        )
    }

    /// Filters a row of paired pixels horizontally into signed 9.6 fixed point.
    static func row(
        _ pairs: UnsafeRawPointer,
        _ table: ResampleWeights,
        into out: UnsafeMutablePointer<Int16>
    ) {
        let rawOut = UnsafeMutableRawPointer(out)
        table.starts.withUnsafeBufferPointer { starts in
            table.weights.withUnsafeBytes { weights in
                guard var tap = weights.baseAddress else { return }
                for x in 0..<starts.count {
                    var pixels = pairs + Int(starts[x]) * 16
                    var sum = SIMD4<Int32>(repeating: 1 << 7)
                    for _ in 0..<(table.taps / 2) {
                        sum &+= products(pixels, tap)
                        pixels += 32
                        tap += 4
                    }
                    rawOut.storeBytes(
                        of: SIMD4<Int16>(truncatingIfNeeded: sum &>> 8),
                        toByteOffset: x * 8,
                        as: SIMD4<Int16>.self
                    )
                }
            }
        }
    }

    /// Interleaves two rows of fixed point, value by value.
    static func pairRows(
        _ one: UnsafePointer<Int16>,
        _ other: UnsafePointer<Int16>,
        count: Int,
        into pairs: UnsafeMutableRawPointer
    ) {
        let first = UnsafeRawPointer(one)
        let second = UnsafeRawPointer(other)
        for column in stride(from: 0, to: count, by: 4) {
            let low = first.load(fromByteOffset: column * 2, as: SIMD4<UInt16>.self)
            let high = second.load(fromByteOffset: column * 2, as: SIMD4<UInt16>.self)
            let pair =
                SIMD4<UInt32>(truncatingIfNeeded: low)
                | (SIMD4<UInt32>(truncatingIfNeeded: high) &<< 16)
            pairs.storeBytes(of: pair, toByteOffset: column * 4, as: SIMD4<UInt32>.self)
        }
    }

    /// Filters `taps` paired rows vertically into `count` bytes of RGBA8.
    ///
    /// With `keepsColor`, a translucent pixel keeps its colour when it is rounded.
    static func columns(
        _ rows: UnsafePointer<UnsafeRawPointer>,
        _ weights: UnsafeRawPointer,
        taps: Int,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int,
        keepsColor: Bool
    ) {
        let rawOut = UnsafeMutableRawPointer(out)
        var column = 0
        while column + 8 <= count {
            var low = SIMD4<Int32>(repeating: 1 << 19)
            var high = low
            for tap in 0..<taps {
                let pairs = rows[tap] + column * 4
                low &+= products(pairs, weights + tap * 4)
                high &+= products(pairs + 16, weights + tap * 4)
            }
            let bytes = clipped(SIMD8(lowHalf: low, highHalf: high), keepsColor)
            rawOut.storeBytes(of: bytes, toByteOffset: column, as: SIMD8<UInt8>.self)
            column += 8
        }
        if column < count {
            var sum = SIMD4<Int32>(repeating: 1 << 19)
            for tap in 0..<taps {
                sum &+= products(rows[tap] + column * 4, weights + tap * 4)
            }
            let bytes = clipped(SIMD8(lowHalf: sum, highHalf: sum), keepsColor).lowHalf
            rawOut.storeBytes(of: bytes, toByteOffset: column, as: SIMD4<UInt8>.self)
        }
    }

    /// Four sums of two products each.
    @inline(__always)
    private static func products(
        _ pairs: UnsafeRawPointer,
        _ weights: UnsafeRawPointer
    ) -> SIMD4<Int32> {
        let values = pairs.load(as: SIMD8<Int16>.self)
        let both = SIMD4<UInt32>(repeating: weights.loadUnaligned(as: UInt32.self))
        let factors = unsafeBitCast(both, to: SIMD8<Int16>.self)
        // The form that compilers recognize as a multiply-add of pairs.
        let all =
            SIMD8<Int32>(truncatingIfNeeded: values) &* SIMD8<Int32>(truncatingIfNeeded: factors)
        return all.evenHalf &+ all.oddHalf
    }

    @inline(__always)
    private static func clipped(_ sums: SIMD8<Int32>, _ keepsColor: Bool) -> SIMD8<UInt8> {
        let zero = SIMD8<Int32>(repeating: 0)
        let most = SIMD8<Int32>(repeating: 255)
        var result = sums &>> 20
        // Most pixels are opaque or empty.
        if keepsColor, isTranslucent(result[3]) || isTranslucent(result[7]) {
            let fixed = sums &>> 14
            result = SIMD8(
                lowHalf: rounded(fixed.lowHalf, result.lowHalf),
                highHalf: rounded(fixed.highHalf, result.highHalf)
            )
        }
        result.replace(with: zero, where: result .< zero)
        result.replace(with: most, where: result .> most)
        return SIMD8<UInt8>(truncatingIfNeeded: result)
    }

    @inline(__always)
    private static func isTranslucent(_ alpha: Int32) -> Bool { alpha > 0 && alpha != 255 }

    /// Rounds a pixel of 9.6 fixed point, to which half is added already.
    ///
    /// Alpha is rounded first, and limited to 255. The colours of a translucent pixel change by the
    /// same factor as its alpha, so that only their own rounding changes the colour.
    @inline(__always)
    private static func rounded(_ fixed: SIMD4<Int32>, _ pixel: SIMD4<Int32>) -> SIMD4<Int32> {
        guard isTranslucent(pixel[3]) else { return pixel }
        let exact = fixed[3] - 32
        let difference = Float(min(pixel[3], 255) * 64 - exact)
        let factor = Int32((difference * 32767 / Float(exact)).rounded(.toNearestOrEven))
        let changes = ((fixed &- 32) &* factor &+ (1 << 14)) &>> 15
        return (fixed &+ changes) &>> 6
    }
}
