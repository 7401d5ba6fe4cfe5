/// Computes a part of the target from the source rows that it needs, fed in order.
///
/// Holds only as many filtered rows as the vertical filter is tall.
struct ResampleBand: ~Copyable {
    private let plan: ResamplePlan
    private let part: PixelRect
    private let out: UnsafeMutablePointer<UInt8>
    private let outBytesPerRow: Int

    private let scratch: PixelStorage
    private let sums: UnsafeMutablePointer<UInt16>
    private let padded: UnsafeMutablePointer<UInt8>
    private let ring: UnsafeMutablePointer<Int16>
    private let ringRows: Int
    private let window: UnsafeMutablePointer<UnsafePointer<Int16>?>
    /// The current row in the format of the backend's horizontal pass.
    private let spread: UnsafeMutableRawPointer
    /// Filtered rows in pairs, used only by the portable backend.
    private var pairRing: PairRing

    /// The number of source rows summed so far for the reduced row ``nextReduced``.
    private var summedRows = 0
    private var nextReduced: Int
    private(set) var nextTarget: Int
    private let targetEnd: Int
    /// The source rows to feed, in order.
    let sourceRows: Range<Int>

    /// Creates the band for a part of the target; `out` is the part's first byte.
    ///
    /// - Throws: ``PixelError/outOfMemory(bytes:)``.
    init(
        _ plan: ResamplePlan,
        _ part: PixelRect,
        into out: UnsafeMutablePointer<UInt8>,
        bytesPerRow: Int
    ) throws(PixelError) {
        let needed = plan.vertical.sources(of: part.y..<(part.y + part.height))
        let ringRows = min(plan.vertical.taps, max(1, needed.count))
        let sumBytes = Self.lines(plan.source.width * 8)
        let paddedBytes = Self.lines(plan.horizontal.readableLength * 4)
        let ringBytes = Self.lines(plan.target.width * 8 * ringRows)
        let windowBytes = Self.lines(plan.vertical.taps * MemoryLayout<UnsafeRawPointer>.size)
        let isPortable = plan.backend == .portable
        let width = isPortable ? part.width * 4 : 0
        let spreadBytes = Self.lines(plan.horizontal.readableLength * (isPortable ? 16 : 8))
        let pairRingBytes = PairRing.byteCount(taps: ringRows, width: width)
        // Allocated first: Debian's Swift 6.2.3 cannot handle an error once a property is
        // initialized.
        let scratch = try PixelStorage(
            byteCount: sumBytes + paddedBytes + ringBytes + windowBytes
                + spreadBytes + pairRingBytes
        )

        self.plan = plan
        self.part = part
        self.out = out
        outBytesPerRow = bytesPerRow
        nextReduced = needed.lowerBound
        nextTarget = part.y
        targetEnd = part.y + part.height
        sourceRows = plan.sourceRows(for: part)

        self.ringRows = ringRows
        self.scratch = scratch
        var place = scratch.base
        sums = place.assumingMemoryBound(to: UInt16.self)
        place += sumBytes
        padded = place.assumingMemoryBound(to: UInt8.self)
        place += paddedBytes
        ring = place.assumingMemoryBound(to: Int16.self)
        place += ringBytes
        window = place.assumingMemoryBound(to: UnsafePointer<Int16>?.self)
        place += windowBytes
        spread = place
        place += spreadBytes
        pairRing = PairRing(taps: ringRows, width: width, memory: place)
    }

    // Rounds up to cache lines, so that each part of the scratch memory stays aligned.
    private static func lines(_ bytes: Int) -> Int { (bytes + 63) & ~63 }

    /// Consumes the next `count` source rows.
    mutating func feed(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        if plan.boxFactor == PixelSize(width: 1, height: 1) {
            for row in 0..<count { take(rows + row * bytesPerRow) }
            return
        }
        var fed = 0
        while fed < count, nextTarget < targetEnd {
            let sourceRow = nextReduced * plan.boxFactor.height
            let blockRows = min(plan.boxFactor.height, plan.source.height - sourceRow)
            let now = min(count - fed, blockRows - summedRows)
            BoxReduce.addRows(
                rows + fed * bytesPerRow,
                bytesPerRow: bytesPerRow,
                count: now,
                to: sums,
                width: plan.source.width * 4
            )
            fed += now
            summedRows += now
            if summedRows == blockRows { takeReducedRow(of: blockRows) }
        }
    }

    private mutating func takeReducedRow(of blockRows: Int) {
        BoxReduce.takeMeans(
            of: sums,
            width: plan.source.width,
            factor: plan.boxFactor.width,
            rows: blockRows,
            into: padded
        )
        summedRows = 0
        take(padded)
    }

    /// Filters a reduced row, and writes every target row whose window it completes.
    private mutating func take(_ row: UnsafePointer<UInt8>) {
        guard nextTarget < targetEnd else { return }
        let slot = ring + (nextReduced % ringRows) * plan.target.width * 4
        switch plan.backend {
        case .twin:
            let words = spread.assumingMemoryBound(to: Int16.self)
            Convolution.twinRow(row, plan.horizontal, spread: words, into: slot)
        case .portable:
            var row = row
            let length = plan.horizontal.sourceLength
            let readable = plan.horizontal.readableLength
            if readable > length, row != UnsafePointer(padded) {
                padded.update(from: row, count: length * 4)
                row = UnsafePointer(padded)
            }
            PortableConvolution.pairPixels(row, length: readable, into: spread)
            PortableConvolution.row(spread, plan.horizontal, into: slot)
        }
        nextReduced += 1
        while nextTarget < targetEnd, windowEnd <= nextReduced { writeTargetRow() }
    }

    private var windowEnd: Int {
        Int(plan.vertical.starts[nextTarget]) + Int(plan.vertical.counts[nextTarget])
    }

    private mutating func writeTargetRow() {
        let start = Int(plan.vertical.starts[nextTarget])
        let taps = Int(plan.vertical.counts[nextTarget])
        plan.vertical.weights.withUnsafeBufferPointer { weights in
            let first = nextTarget * plan.vertical.taps
            let own = UnsafeBufferPointer(rebasing: weights[first..<(first + taps)])
            switch plan.backend {
            case .twin: filterByTwin(from: start, own)
            case .portable: filterPortably(from: start, own)
            }
        }
        nextTarget += 1
    }

    private func filterByTwin(from start: Int, _ weights: UnsafeBufferPointer<Int16>) {
        guard let factors = weights.baseAddress else { return }
        for tap in 0..<weights.count {
            let slot = (start + tap) % ringRows
            window[tap] = UnsafePointer(ring + (slot * plan.target.width + part.x) * 4)
        }
        Convolution.twinColumns(
            window,
            factors,
            taps: weights.count,
            into: out + (nextTarget - part.y) * outBytesPerRow,
            count: part.width * 4,
            clampsToAlpha: plan.clampsToAlpha
        )
    }

    private mutating func filterPortably(
        from start: Int,
        _ weights: UnsafeBufferPointer<Int16>
    ) {
        let row = out + (nextTarget - part.y) * outBytesPerRow
        let (ring, ringRows, width) = (ring + part.x * 4, ringRows, plan.target.width * 4)
        pairRing.filter(
            from: start,
            weights,
            available: nextReduced,
            row: { UnsafePointer(ring + ($0 % ringRows) * width) },
            into: row,
            keepsColor: plan.clampsToAlpha
        )
        if plan.clampsToAlpha { Convolution.clampToAlpha(row, count: part.width * 4) }
    }
}
