/// The most frequent colour of the bitmap.
///
/// Counts the pixels of a reduced copy, weighted by alpha, in a 16 × 16 × 16 histogram, and
/// averages the colours near the fullest bin.
///
/// - Returns: An opaque colour, or ``RGBA/clear`` if no pixel is visible.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func dominantColor(_ source: Bitmap) throws(PixelError) -> RGBA {
    let colours = StraightColors(try reducedForStatistics(source))
    var counts = [Int](repeating: 0, count: 4096)
    for colour in colours.all { counts[bin(of: colour)] += Int(colour.alpha) }
    guard let fullest = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[fullest] > 0
    else { return .clear }
    let seed = mean(of: colours.all.filter { bin(of: $0) == fullest })
    // Wider than a bin, so that a colour on the border of two bins is not split.
    return mean(of: colours.all.filter { isNear($0, seed, within: 20) })
}

/// The mean colour, weighted by alpha.
///
/// The result's alpha is the mean alpha.
///
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func averageColor(_ source: Bitmap) throws(PixelError) -> RGBA {
    let one = try resample(source, to: PixelSize(width: 1, height: 1), filter: .box)
    return StraightColors(one).all.first ?? .clear
}

/// A copy with sides of at most `side` pixels: enough for statistics, and fast for any size.
func reducedForStatistics(_ source: Bitmap, side: Int = 64) throws(PixelError) -> Bitmap {
    let size = source.size.fitted(inside: PixelSize(width: side, height: side))
    return try resample(source, to: size, filter: .box)
}

private func bin(of colour: RGBA) -> Int {
    Int(colour.red >> 4) << 8 | Int(colour.green >> 4) << 4 | Int(colour.blue >> 4)
}

private func isNear(_ one: RGBA, _ other: RGBA, within distance: Int) -> Bool {
    abs(Int(one.red) - Int(other.red)) <= distance
        && abs(Int(one.green) - Int(other.green)) <= distance
        && abs(Int(one.blue) - Int(other.blue)) <= distance
}

private func mean(of colours: [RGBA]) -> RGBA {
    var sums = SIMD4<Int>(repeating: 0)
    for colour in colours {
        let weight = Int(colour.alpha)
        let channels = SIMD4(Int(colour.red), Int(colour.green), Int(colour.blue), 1)
        sums &+= channels &* weight
    }
    let total = max(1, sums.w)
    func part(_ sum: Int) -> UInt8 { UInt8(min(255, (sum + total / 2) / total)) }
    return RGBA(red: part(sums.x), green: part(sums.y), blue: part(sums.z))
}

/// The pixels of a small bitmap as straight colours, row by row.
struct StraightColors {
    let all: [RGBA]

    init(_ source: Bitmap) {
        let count = source.width * source.height
        all = [RGBA](unsafeUninitializedCapacity: count) { buffer, filled in
            var row = [UInt8](repeating: 0, count: source.width * Bitmap.bytesPerPixel)
            for y in 0..<source.height {
                source.withPixels { pixels, stride in
                    row.withUnsafeMutableBufferPointer { straight in
                        guard let to = straight.baseAddress else { return }
                        unpremultiplyRow(from: pixels + y * stride, to: to, width: source.width)
                    }
                }
                for x in 0..<source.width {
                    buffer.initializeElement(
                        at: y * source.width + x,
                        to: RGBA(
                            red: row[x * 4],
                            green: row[x * 4 + 1],
                            blue: row[x * 4 + 2],
                            alpha: row[x * 4 + 3]
                        )
                    )
                }
            }
            filled = count
        }
    }
}
