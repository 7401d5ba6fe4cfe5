import KFPixels

/// Finds the colour of a palette that is nearest to another, opaque if that is.
///
/// The result for the first colour of a bin is that of all others in it.
struct ColorFinder {
    private let bins: ColorBins
    private let colors: [SIMD4<Int32>]
    /// How many colours are not opaque; they come first.
    private let translucentCount: Int
    /// −1 for bins that were not looked up yet.
    private var known: [Int16]

    // Green counts double, because the eye is most sensitive to it, and so does alpha.
    private static let weights = SIMD4<Int32>(1, 2, 1, 2)

    init(_ palette: [RGBA], _ bins: ColorBins) {
        self.bins = bins
        colors = palette.map(SIMD4.init(color:))
        translucentCount = palette.firstIndex { $0.alpha == 255 } ?? palette.count
        known = [Int16](repeating: -1, count: bins.count)
    }

    mutating func nearest(_ color: RGBA) -> UInt8 {
        let bin = bins.number(of: color)
        let found = known[bin]
        if found >= 0 { return UInt8(truncatingIfNeeded: found) }
        let wanted = SIMD4<Int32>(color: color)
        let isOpaque = color.alpha == 255
        var best = (distance: Int32.max, index: 0)
        for index in isOpaque ? translucentCount..<colors.count : 0..<translucentCount {
            let difference = colors[index] &- wanted
            let distance = (difference &* difference &* Self.weights).wrappedSum()
            if distance < best.distance { best = (distance, index) }
        }
        known[bin] = Int16(best.index)
        return UInt8(truncatingIfNeeded: best.index)
    }
}
