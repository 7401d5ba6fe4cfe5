/// Averages blocks of whole pixels, the cheap first step of a large reduction.
enum BoxReduce {
    /// Adds `count` rows of `width` bytes to the 16-bit column sums.
    static func addRows(
        _ source: UnsafePointer<UInt8>,
        bytesPerRow: Int,
        count: Int,
        to sums: UnsafeMutablePointer<UInt16>,
        width: Int
    ) {
        var column = 0
        let rawSums = UnsafeMutableRawPointer(sums)
        while column + 16 <= width {
            var total = rawSums.loadUnaligned(
                fromByteOffset: column * 2,
                as: SIMD16<UInt16>.self
            )
            var pixels = UnsafeRawPointer(source + column)
            for _ in 0..<count {
                let bytes = pixels.loadUnaligned(as: SIMD16<UInt8>.self)
                total &+= SIMD16<UInt16>(truncatingIfNeeded: bytes)
                pixels += bytesPerRow
            }
            rawSums.storeBytes(of: total, toByteOffset: column * 2, as: SIMD16<UInt16>.self)
            column += 16
        }
        while column < width {
            var pixels = source + column
            for _ in 0..<count {
                sums[column] &+= UInt16(pixels.pointee)
                pixels += bytesPerRow
            }
            column += 1
        }
    }

    /// Converts column sums over `rows` rows to averages of `factor` pixels each, and clears the
    /// sums.
    ///
    /// `width` counts source pixels of four sums each. The last block may be narrower than
    /// `factor`.
    static func takeMeans(
        of sums: UnsafeMutablePointer<UInt16>,
        width: Int,
        factor: Int,
        rows: Int,
        into out: UnsafeMutablePointer<UInt8>
    ) {
        var pixel = 0
        var target = out
        while pixel < width {
            let columns = min(factor, width - pixel)
            let area = UInt64(columns * rows)
            // The reciprocal's error times the largest sum stays far below one half.
            let reciprocal = ((1 << 32) + area / 2) / area
            let blocks = columns == factor ? (width - pixel) / factor : 1
            for _ in 0..<blocks {
                mean(sums + pixel * 4, columns: columns, reciprocal: reciprocal, into: target)
                pixel += columns
                target += 4
            }
        }
        sums.update(repeating: 0, count: width * 4)
    }

    @inline(__always)
    private static func mean(
        _ sums: UnsafePointer<UInt16>,
        columns: Int,
        reciprocal: UInt64,
        into out: UnsafeMutablePointer<UInt8>
    ) {
        var red: UInt32 = 0
        var green: UInt32 = 0
        var blue: UInt32 = 0
        var alpha: UInt32 = 0
        var pixel = sums
        for _ in 0..<columns {
            red &+= UInt32(pixel[0])
            green &+= UInt32(pixel[1])
            blue &+= UInt32(pixel[2])
            alpha &+= UInt32(pixel[3])
            pixel += 4
        }
        let half: UInt64 = 1 << 31
        out[0] = UInt8(truncatingIfNeeded: (UInt64(red) &* reciprocal &+ half) >> 32)
        out[1] = UInt8(truncatingIfNeeded: (UInt64(green) &* reciprocal &+ half) >> 32)
        out[2] = UInt8(truncatingIfNeeded: (UInt64(blue) &* reciprocal &+ half) >> 32)
        out[3] = UInt8(truncatingIfNeeded: (UInt64(alpha) &* reciprocal &+ half) >> 32)
    }
}
