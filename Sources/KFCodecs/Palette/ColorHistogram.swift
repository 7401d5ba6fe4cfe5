import KFPixels

/// A histogram of premultiplied colours, and the palette that median cut derives from it.
///
/// Source: Heckbert, "Color Image Quantization for Frame Buffer Display" (1982).
struct ColorHistogram {
    private let bins: ColorBins
    private var counts: [UInt32]

    init(_ bins: ColorBins) {
        self.bins = bins
        counts = [UInt32](repeating: 0, count: bins.count)
    }

    mutating func count(_ color: RGBA) {
        counts[bins.number(of: color)] += 1
    }

    /// Splits the colours into at most `maxCount` boxes of similar weight, and returns the mean of
    /// each, those that are not opaque first.
    ///
    /// Opaque colours never share a box with others, so that they stay opaque.
    func palette(of maxCount: Int) -> [RGBA] {
        let entries = counts.indices.filter { counts[$0] > 0 }.map { number in
            Entry(
                centre: bins.centre(of: number),
                count: Int(counts[number]),
                isOpaque: bins.isOpaque(number)
            )
        }
        var boxes = [entries.filter { !$0.isOpaque }, entries.filter(\.isOpaque)]
            .filter { !$0.isEmpty }
            .map(Box.init)
        while boxes.count < maxCount {
            guard let widest = boxes.indices.max(by: { boxes[$0].urgency < boxes[$1].urgency }),
                boxes[widest].entries.count > 1
            else { break }
            let (low, high) = boxes[widest].split()
            boxes[widest] = low
            boxes.append(high)
        }
        let colors = boxes.map(\.mean)
        return colors.filter { $0.alpha < 255 } + colors.filter { $0.alpha == 255 }
    }

    /// A bin that is not empty.
    private struct Entry {
        let centre: RGBA
        let count: Int
        let isOpaque: Bool
    }

    private struct Box {
        let entries: [Entry]
        /// The channel with the longest side.
        private let channel: KeyPath<RGBA, UInt8>
        /// The gain of splitting: pixels times the length of the longest side.
        let urgency: Int

        init(_ entries: [Entry]) {
            self.entries = entries
            var lowest = SIMD4<Int32>(repeating: 255)
            var highest = SIMD4<Int32>.zero
            var pixels = 0
            for entry in entries {
                let color = SIMD4(color: entry.centre)
                lowest = pointwiseMin(lowest, color)
                highest = pointwiseMax(highest, color)
                pixels += entry.count
            }
            let sides = highest &- lowest
            let channels = [
                (\RGBA.green, sides.y), (\.red, sides.x), (\.blue, sides.z), (\.alpha, sides.w),
            ]
            var longest = channels[0]
            for channel in channels where channel.1 > longest.1 { longest = channel }
            channel = longest.0
            urgency = pixels * Int(longest.1)
        }

        /// Splits near the median pixel.
        ///
        /// Bins are not divided, and both halves have at least one.
        func split() -> (low: Box, high: Box) {
            let sorted = entries.map { ($0, $0.centre[keyPath: channel]) }.sorted { $0.1 < $1.1 }
            let total = entries.reduce(0) { $0 + $1.count }
            var sum = 0
            var cut = 1
            for (index, entry) in sorted.enumerated() {
                sum += entry.0.count
                cut = index + 1
                if sum * 2 >= total { break }
            }
            cut = min(cut, sorted.count - 1)
            return (Box(sorted[..<cut].map(\.0)), Box(sorted[cut...].map(\.0)))
        }

        var mean: RGBA {
            var sum = ColorSum()
            for entry in entries { sum.add(entry.centre, times: entry.count) }
            return sum.mean ?? .clear
        }
    }
}

/// A sum of premultiplied colours.
struct ColorSum {
    private var red = 0
    private var green = 0
    private var blue = 0
    private var alpha = 0
    private var count = 0

    mutating func add(_ color: RGBA, times count: Int = 1) {
        red += Int(color.red) * count
        green += Int(color.green) * count
        blue += Int(color.blue) * count
        alpha += Int(color.alpha) * count
        self.count += count
    }

    /// The mean, rounded; nil of no colours.
    var mean: RGBA? {
        guard count > 0 else { return nil }
        func mean(_ sum: Int) -> UInt8 { UInt8((sum + count / 2) / count) }
        return RGBA(red: mean(red), green: mean(green), blue: mean(blue), alpha: mean(alpha))
    }
}
