import Pixels

/// A histogram of colours, five bits per channel, and the palette that median cut derives from it.
struct GIFHistogram {
    private var counts = [UInt32](repeating: 0, count: 1 << 15)

    mutating func count(_ pixel: UnsafePointer<UInt8>) {
        let red = Int(pixel[0] >> 3) << 10
        let green = Int(pixel[1] >> 3) << 5
        counts[red | green | Int(pixel[2] >> 3)] += 1
    }

    /// Splits the colours into at most `maxCount` boxes of similar weight.
    ///
    /// Returns the mean of each.
    func palette(of maxCount: Int) -> [RGBA] {
        let colors = counts.indices.filter { counts[$0] > 0 }
        guard !colors.isEmpty else { return [] }
        var boxes = [makeBox(colors)]
        while boxes.count < maxCount {
            guard let widest = boxes.indices.max(by: { boxes[$0].urgency < boxes[$1].urgency }),
                boxes[widest].colors.count > 1
            else { break }
            let (low, high) = split(boxes[widest])
            boxes[widest] = makeBox(low)
            boxes.append(makeBox(high))
        }
        return boxes.map { mean($0.colors) }
    }

    private struct Box {
        var colors: [Int]
        /// The position of the channel with the longest side in a colour's bits.
        var shift: Int
        /// The gain of splitting: pixels times the length of the longest side.
        var urgency: Int
    }

    private func makeBox(_ colors: [Int]) -> Box {
        var pixels = 0
        for color in colors { pixels += Int(counts[color]) }
        var longest = (length: -1, shift: 0)
        for shift in [5, 10, 0] {
            var low = 31
            var high = 0
            for color in colors {
                low = min(low, color >> shift & 31)
                high = max(high, color >> shift & 31)
            }
            if high - low > longest.length { longest = (high - low, shift) }
        }
        return Box(colors: colors, shift: longest.shift, urgency: pixels * longest.length)
    }

    /// Splits near the median pixel.
    ///
    /// Colours are not divided, and both halves have at least one.
    private func split(_ box: Box) -> (low: [Int], high: [Int]) {
        let sorted = box.colors.sorted { $0 >> box.shift & 31 < $1 >> box.shift & 31 }
        var total = 0
        for color in sorted { total += Int(counts[color]) }
        var sum = 0
        var cut = 1
        for (index, color) in sorted.enumerated() {
            sum += Int(counts[color])
            cut = index + 1
            if sum * 2 >= total { break }
        }
        cut = min(cut, sorted.count - 1)
        return (Array(sorted[..<cut]), Array(sorted[cut...]))
    }

    private func mean(_ colors: [Int]) -> RGBA {
        var sums = (red: 0, green: 0, blue: 0, pixels: 0)
        for color in colors {
            let pixels = Int(counts[color])
            // The middle of the eight values of a bin.
            sums.red += ((color >> 10) * 8 + 4) * pixels
            sums.green += ((color >> 5 & 31) * 8 + 4) * pixels
            sums.blue += ((color & 31) * 8 + 4) * pixels
            sums.pixels += pixels
        }
        let half = sums.pixels / 2
        return RGBA(
            red: UInt8(min(255, (sums.red + half) / sums.pixels)),
            green: UInt8(min(255, (sums.green + half) / sums.pixels)),
            blue: UInt8(min(255, (sums.blue + half) / sums.pixels))
        )
    }
}

/// Finds the nearest palette colour and caches it for the bin of five bits per channel.
struct GIFColorFinder {
    private let colors: [(Int32, Int32, Int32)]
    /// −1 for bins that were not looked up yet.
    private var known = [Int16](repeating: -1, count: 1 << 15)

    init(_ palette: [RGBA]) {
        colors = palette.map { (Int32($0.red), Int32($0.green), Int32($0.blue)) }
    }

    mutating func nearest(_ color: (Int32, Int32, Int32)) -> UInt8 {
        let bin = Int(color.0 >> 3) << 10 | Int(color.1 >> 3) << 5 | Int(color.2 >> 3)
        if known[bin] >= 0 { return UInt8(known[bin]) }
        var best = (distance: Int32.max, index: 0)
        for (index, candidate) in colors.enumerated() {
            let red = color.0 - candidate.0
            let green = color.1 - candidate.1
            let blue = color.2 - candidate.2
            // Green counts double, because the eye is most sensitive to it.
            let distance = red * red + 2 * green * green + blue * blue
            if distance < best.distance { best = (distance, index) }
        }
        known[bin] = Int16(best.index)
        return UInt8(best.index)
    }
}
