import KFPixels

/// Finds the colour of a palette that is nearest to another, opaque if that is.
///
/// For each cell of the space of colours it keeps those that are nearest to any colour in it: at most
/// 25 MB, and a tenth of that for a photograph.
///
/// Source: Heckbert, "Color Image Quantization for Frame Buffer Display" (1982), locally sorted
/// search.
struct ColorFinder {
    private let colors: [SIMD4<Int32>]
    /// How many colours are not opaque; they come first.
    private let translucentCount: Int
    /// Where the list of each cell begins in `candidates`; 0 before the first search there.
    private var cells = [Int32](repeating: 0, count: 1 << 15 + 1 << 16)
    /// Lists of positions in the palette, each after its length less one, since that may be 256.
    private var candidates: [UInt8] = [0]

    /// - Parameter palette: At most 256 premultiplied colours, those that are not opaque first.
    init(_ palette: [SIMD4<Int32>]) {
        colors = palette
        translucentCount = palette.firstIndex { $0.w == 255 } ?? palette.count
    }

    /// The position in the palette of the colour nearest to another.
    mutating func nearest(_ color: SIMD4<Int32>) -> Int {
        let start = list(near: color)
        var best = (distance: Int32.max, index: 0)
        for place in start + 1...start + 1 + Int(candidates[start]) {
            let index = Int(candidates[place])
            let distance = colors[index].squaredDistance(to: color)
            if distance < best.distance { best = (distance, index) }
        }
        return best.index
    }

    /// Where the list for a colour begins.
    private mutating func list(near color: SIMD4<Int32>) -> Int {
        let isOpaque = color.w == 255
        // Opaque cells have 8 values a channel, the others 16, of alpha as well.
        let bits: Int32 = isOpaque ? 3 : 4
        let place = color &>> bits
        let number =
            isOpaque
            ? place.x << 10 | place.y << 5 | place.z
            : 1 << 15 + (place.x << 12 | place.y << 8 | place.z << 4 | place.w)
        if cells[Int(number)] > 0 { return Int(cells[Int(number)]) }
        var lowest = place &<< bits
        var highest = lowest &+ (1 &<< bits &- 1)
        if isOpaque { (lowest.w, highest.w) = (255, 255) }
        let start = candidates.count
        let indices = isOpaque ? translucentCount..<colors.count : 0..<translucentCount
        addCandidates(indices, lowest, highest)
        cells[Int(number)] = Int32(start)
        return start
    }

    private mutating func addCandidates(
        _ indices: Range<Int>,
        _ lowest: SIMD4<Int32>,
        _ highest: SIMD4<Int32>
    ) {
        // No colour of the cell is further from the nearest colour of the palette.
        var farthest = Int32.max
        for index in indices {
            let color = colors[index]
            let corner = pointwiseMax(highest &- color, color &- lowest)
            farthest = min(farthest, (corner &* corner).wrappedSum())
        }
        let start = candidates.count
        candidates.append(0)
        for index in indices {
            let color = colors[index]
            let inside = color.clamped(lowerBound: lowest, upperBound: highest)
            if color.squaredDistance(to: inside) <= farthest { candidates.append(UInt8(index)) }
        }
        candidates[start] = UInt8(candidates.count - start - 2)
    }
}

extension SIMD4<Int32> {
    /// The channels of a pixel, red in the lowest byte.
    init(pixel: UInt32) {
        self.init(
            Int32(pixel & 0xFF),
            Int32(pixel >> 8 & 0xFF),
            Int32(pixel >> 16 & 0xFF),
            Int32(pixel >> 24)
        )
    }

    /// The channels, 0…255, as a pixel.
    var pixel: UInt32 {
        UInt32(bitPattern: x | y << 8 | z << 16 | w << 24)
    }

    func squaredDistance(to other: SIMD4<Int32>) -> Int32 {
        let difference = self &- other
        return (difference &* difference).wrappedSum()
    }
}
