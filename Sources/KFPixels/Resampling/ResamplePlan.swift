/// The parts of a resampling that do not depend on the pixels.
struct ResamplePlan: Sendable {
    let source: PixelSize
    let target: PixelSize
    let clampsToAlpha: Bool
    let backend: Convolution.Backend
    /// The block of whole pixels that is averaged before the filter proper.
    let boxFactor: PixelSize
    let horizontal: ResampleWeights
    let vertical: ResampleWeights

    init(
        source: PixelSize,
        target: PixelSize,
        filter: ResampleFilter,
        isOpaque: Bool,
        backend: Convolution.Backend = Convolution.backend
    ) throws(PixelError) {
        try PixelLimits.check(source)
        try PixelLimits.check(target)
        self.source = source
        self.target = target
        self.backend = backend
        clampsToAlpha = !isOpaque && (filter == .lanczos3 || filter == .bicubic)
        boxFactor = PixelSize(
            width: Self.boxFactor(from: source.width, to: target.width, filter),
            height: Self.boxFactor(from: source.height, to: target.height, filter)
        )
        horizontal = ResampleWeights.cached(
            ResampleWeights.Key(
                source: source.width,
                target: target.width,
                boxFactor: boxFactor.width,
                filter: filter,
                // The twins process four pixels at a time, the Swift kernels two.
                tapAlignment: backend == .twin ? 4 : 2,
                startAlignment: backend == .twin ? 4 : 1
            )
        )
        vertical = ResampleWeights.cached(
            ResampleWeights.Key(
                source: source.height,
                target: target.height,
                boxFactor: boxFactor.height,
                filter: filter,
                tapAlignment: 1
            )
        )
    }

    /// The size between the box average and the filter.
    var reduced: PixelSize {
        PixelSize(width: horizontal.sourceLength, height: vertical.sourceLength)
    }

    /// The factor of the box average: half of the reduction, so that the filter keeps a factor of
    /// at least two.
    ///
    /// The pass band is kept (at least 48 dB against the full filter at a fifth of its cost). From
    /// a reduction by 16 on, a quarter: half gave 42 dB there, and the remaining filter is cheap
    /// anyway. The `.box` filter is the mean itself, so a whole factor is averaged entirely.
    private static func boxFactor(from source: Int, to target: Int, _ filter: ResampleFilter) -> Int
    {
        guard source >= 2 * target else { return 1 }
        if filter == .box {
            if source.isMultiple(of: target) { return min(source / target, maxBoxFactor) }
            // Small factors need no box average; large ones would leave weights too small for Q14.
            return source / target < 16 ? 1 : min(source / target / 4, maxBoxFactor)
        }
        let rest = source / target < 16 ? 2 : 4
        return max(1, min(source / (rest * target), maxBoxFactor))
    }

    // 257 × 255 is the largest column sum that fits 16 bits.
    private static let maxBoxFactor = 257

    /// The source rows that a part of the target needs.
    func sourceRows(for part: PixelRect) -> Range<Int> {
        let reduced = vertical.sources(of: part.y..<(part.y + part.height))
        return Self.expanded(reduced, by: boxFactor.height, within: source.height)
    }

    /// The source columns that a part of the target needs.
    func sourceColumns(for part: PixelRect) -> Range<Int> {
        let reduced = horizontal.sources(of: part.x..<(part.x + part.width))
        return Self.expanded(reduced, by: boxFactor.width, within: source.width)
    }

    private static func expanded(_ range: Range<Int>, by factor: Int, within end: Int) -> Range<Int>
    {
        (range.lowerBound * factor)..<min(end, range.upperBound * factor)
    }
}
