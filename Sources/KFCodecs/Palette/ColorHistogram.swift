import KFPixels

/// A histogram of premultiplied colours, and the palette that is derived from it.
///
/// Colours are counted one by one while there are few. Then those that differ in the lowest bits of
/// their channels are counted together, and keep their mean.
///
/// Sources: Heckbert, "Color Image Quantization for Frame Buffer Display" (1982), for the boxes; Wu,
/// "Efficient Statistical Computations for Optimal Color Quantization", Graphics Gems II (1991), for
/// where they are cut; Lloyd, "Least Squares Quantization in PCM" (1982).
struct ColorHistogram {
    private static let maxEntryCount = 1 << 15

    private var entries: [Entry] = []
    /// Positions in `entries` plus one, or 0; at most half is occupied.
    private var slots = [UInt16](repeating: 0, count: 2 * maxEntryCount)
    /// Chosen at random, so that no file can be made whose colours share their slots.
    private let multiplier = UInt32.random(in: 0...UInt32.max) | 1
    /// How many low bits of each channel are ignored.
    private var ignoredBits: UInt32 = 0

    /// Counts a pixel that is not wholly transparent, red in the lowest byte.
    mutating func count(_ pixel: UInt32) {
        var slot = slot(of: key(pixel))
        while slots[slot] == 0, entries.count == Self.maxEntryCount {
            coarsen()
            slot = self.slot(of: key(pixel))
        }
        add(ColorSum(SIMD4(pixel: pixel)), to: slot, key(pixel))
    }

    /// At most `maxCount` colours, those that are not opaque first.
    ///
    /// The boxes with the largest squared error are cut, and each colour is the mean of those that
    /// it is nearest to. Opaque colours share none with others, so that they stay opaque.
    func palette(of maxCount: Int) -> [SIMD4<Int32>] {
        let sums = entries.map(\.sum)
        var boxes = [sums.filter { !$0.isOpaque }, sums.filter(\.isOpaque)]
            .filter { !$0.isEmpty }
            .map(ColorBox.init)
        while boxes.count < maxCount {
            guard let worst = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }),
                let (low, high) = boxes[worst].cut()
            else { break }
            boxes[worst] = low
            boxes.append(high)
        }
        let colors = boxes.map(\.sum.mean)
        let palette = colors.filter { $0.w < 255 } + colors.filter { $0.w == 255 }
        var finder = ColorFinder(palette)
        var refined = [ColorSum](repeating: ColorSum(), count: palette.count)
        for sum in sums { refined[finder.nearest(sum.mean)].add(sum) }
        return zip(palette, refined).map { color, sum in sum.count > 0 ? sum.mean : color }
    }

    // MARK: The table

    private struct Entry {
        var key: UInt32
        var sum: ColorSum
    }

    /// The bits that the colours of an entry share; opaque colours are never counted with others.
    private func key(_ pixel: UInt32) -> UInt32 {
        let mask = (UInt32(0xFF) << ignoredBits & 0xFF) * 0x0101_0101
        return pixel & mask | (pixel >> 24 == 255 ? 0xFF00_0000 : 0)
    }

    /// The slot of a key, or the empty one where it belongs.
    private func slot(of key: UInt32) -> Int {
        // Dietzfelbinger et al., "A Reliable Randomized Algorithm for the Closest-Pair Problem" (1997),
        // section 2, with linear probing.
        var slot = Int((key &* multiplier) >> 16)
        while slots[slot] != 0, entries[Int(slots[slot]) - 1].key != key {
            slot = (slot + 1) % slots.count
        }
        return slot
    }

    private mutating func add(_ sum: ColorSum, to slot: Int, _ key: UInt32) {
        if slots[slot] == 0 {
            entries.append(Entry(key: key, sum: sum))
            slots[slot] = UInt16(entries.count)
        } else {
            entries[Int(slots[slot]) - 1].sum.add(sum)
        }
    }

    /// Ignores one more bit.
    private mutating func coarsen() {
        ignoredBits += 1
        let old = entries
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
        for entry in old {
            let key = key(entry.key)
            add(entry.sum, to: slot(of: key), key)
        }
    }
}

/// A part of the colours.
private struct ColorBox {
    let sum: ColorSum
    /// The sum of the squared distances of all pixels to the mean.
    let error: Double
    private let colors: [ColorSum]

    init(_ colors: [ColorSum]) {
        self.colors = colors
        var sum = ColorSum()
        var squares = SIMD4<Double>.zero
        for color in colors {
            sum.add(color)
            squares += color.squares
        }
        self.sum = sum
        error = (squares - sum.squares).sum()
    }

    /// The two parts with the least squared error, cut at a level of a channel; nil of a single colour.
    ///
    /// Takes a time that grows with the number of colours, however they lie.
    func cut() -> (ColorBox, ColorBox)? {
        guard colors.count > 1 else { return nil }
        let means = colors.map(\.mean)
        var best = (squares: -1.0, channel: 0, level: Int32(0))
        for channel in 0..<4 {
            var levels = [ColorSum](repeating: ColorSum(), count: 256)
            for (color, mean) in zip(colors, means) { levels[Int(mean[channel])].add(color) }
            var low = ColorSum()
            for level in levels.indices where levels[level].count > 0 {
                low.add(levels[level])
                guard low.count < sum.count else { break }
                let squares = (low.squares + (sum - low).squares).sum()
                if squares > best.squares { best = (squares, channel, Int32(level)) }
            }
        }
        guard best.squares >= 0 else { return nil }
        func part(_ isLow: Bool) -> ColorBox {
            let own = zip(colors, means).filter { ($0.1[best.channel] <= best.level) == isLow }
            return ColorBox(own.map(\.0))
        }
        return (part(true), part(false))
    }
}

/// A sum of premultiplied colours.
private struct ColorSum {
    private(set) var count: Double = 0
    private var channels = SIMD4<Double>.zero

    init() {}

    init(_ color: SIMD4<Int32>) {
        count = 1
        channels = SIMD4(color)
    }

    mutating func add(_ other: ColorSum) {
        count += other.count
        channels += other.channels
    }

    static func - (sum: ColorSum, part: ColorSum) -> ColorSum {
        var rest = sum
        rest.count -= part.count
        rest.channels -= part.channels
        return rest
    }

    var mean: SIMD4<Int32> { SIMD4((channels / count).rounded(.toNearestOrAwayFromZero)) }

    /// The square of the mean, as often as there are pixels.
    var squares: SIMD4<Double> { channels * channels / count }

    var isOpaque: Bool { channels.w == 255 * count }
}
