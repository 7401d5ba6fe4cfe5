import Synchronization

/// The source pixels of each target pixel along one axis, with their weights.
///
/// Weights are Q14 and add up to exactly 16,384 for each target pixel, so that a bitmap of one
/// colour keeps it. Method: Turkowski, "Filters for Common Resampling Tasks" (1990).
final class ResampleWeights: Sendable {
    /// The parameters that determine the weights of one axis.
    struct Key: Hashable {
        /// Source pixels before the reduction by ``boxFactor``.
        var source: Int
        var target: Int
        var boxFactor: Int
        var filter: ResampleFilter
        /// The number of taps is rounded up to a multiple of this.
        var tapAlignment: Int
        /// Windows start at multiples of this, with weights of zero before their first pixel.
        var startAlignment = 1
    }

    static let one = 1 << 14

    /// Weights per target pixel, padded with zeros.
    let taps: Int
    /// The first source pixel of each target pixel.
    let starts: [Int32]
    /// The number of weights in use, from the first.
    let counts: [Int32]
    /// `taps` for each target pixel.
    let weights: [Int16]

    /// Source pixels that must be readable: the source, or more if a window ends beyond it.
    let readableLength: Int
    let sourceLength: Int

    private init(_ key: Key) {
        sourceLength = (key.source + key.boxFactor - 1) / key.boxFactor
        let windows = Self.windows(key, length: sourceLength)
        let alignment = key.startAlignment
        let widest = windows.lazy.map { $0.start % alignment + $0.weights.count }.max() ?? 1
        taps = (widest + key.tapAlignment - 1) / key.tapAlignment * key.tapAlignment
        var starts: [Int32] = []
        var counts: [Int32] = []
        var weights = [Int16](repeating: 0, count: taps * key.target)
        for (index, window) in windows.enumerated() {
            let start = Self.start(of: window.start, taps: taps, length: sourceLength, key)
            let shift = window.start - start
            for (tap, weight) in window.weights.enumerated() {
                weights[index * taps + shift + tap] = weight
            }
            starts.append(Int32(start))
            counts.append(Int32(shift + window.weights.count))
        }
        readableLength = max(sourceLength, Int(starts.max() ?? 0) + taps)
        self.starts = starts
        self.counts = counts
        self.weights = weights
    }

    /// The source pixel of a window's first weight, at or before its first pixel.
    private static func start(of first: Int, taps: Int, length: Int, _ key: Key) -> Int {
        if key.startAlignment > 1 { return first - first % key.startAlignment }
        // Full windows must not read beyond the row: they start earlier, with zero weights first.
        return key.tapAlignment > 1 ? max(0, min(first, length - taps)) : first
    }

    private static func windows(_ key: Key, length: Int) -> [(start: Int, weights: [Int16])] {
        let scale = Double(key.source) / Double(key.boxFactor) / Double(key.target)
        let stretch = max(scale, 1)
        let support = key.filter.support * stretch
        return (0..<key.target).map { index in
            let centre = (Double(index) + 0.5) * scale
            let first = min(length - 1, max(0, Int(centre - support + 0.5)))
            let end = max(first + 1, min(length, Int(centre + support + 0.5)))
            let exact = (first..<end).map {
                key.filter.weight(at: (Double($0) + 0.5 - centre) / stretch)
            }
            return quantised(exact, start: first)
        }
    }

    /// Rounds to Q14, adds the rounding error to the largest weight, drops zeros at both ends.
    private static func quantised(
        _ exact: [Double],
        start: Int
    ) -> (start: Int, weights: [Int16]) {
        let total = exact.reduce(0, +)
        guard total > 0 else { return (start, [Int16(one)]) }
        var rounded = exact.map { Int(($0 / total * Double(one)).rounded()) }
        let largest = rounded.indices.max { rounded[$0] < rounded[$1] } ?? 0
        rounded[largest] += one - rounded.reduce(0, +)
        let low = rounded.firstIndex { $0 != 0 } ?? 0
        let high = rounded.lastIndex { $0 != 0 } ?? 0
        return (start + low, rounded[low...high].map { Int16($0) })
    }

    /// The source pixels, after the box average, of consecutive target pixels.
    func sources(of targets: Range<Int>) -> Range<Int> {
        guard let first = targets.first, let last = targets.last else { return 0..<0 }
        // Ranges do not always begin in the order of their targets: some skip weights of zero.
        let windows = (first...last).lazy.map { [starts, counts] in
            Int(starts[$0])..<(Int(starts[$0]) + Int(counts[$0]))
        }
        let start = windows.map(\.lowerBound).min() ?? 0
        return start..<max(start, windows.map(\.upperBound).max() ?? start)
    }

    // Computing the weights for a 12-megapixel thumbnail costs a tenth of resampling it, and pages
    // of thumbnails repeat the same few sizes.
    private static let cache = Mutex<(table: [Key: ResampleWeights], bytes: Int)>(([:], 0))
    private static let cacheLimit = 4 << 20  // bytes: some hundred thumbnail sizes

    /// The weights for `key`, from a cache of 4 MiB or computed.
    static func cached(_ key: Key) -> ResampleWeights {
        if let found = cache.withLock({ $0.table[key] }) { return found }
        let made = ResampleWeights(key)
        let bytes = made.weights.count * 2 + made.starts.count * 8
        cache.withLock { cache in
            if cache.bytes + bytes > cacheLimit { cache = ([:], 0) }
            if cache.table.updateValue(made, forKey: key) == nil { cache.bytes += bytes }
        }
        return made
    }
}
