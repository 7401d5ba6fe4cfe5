/// Resamples a bitmap that arrives row by row, so that the full-size bitmap never exists.
///
/// Holds the target bitmap and the few filtered rows that the vertical filter needs. The result
/// equals that of ``resample(_:to:filter:)``, bit for bit.
package final class RowResampler {
    /// The number of source rows received so far.
    package private(set) var rowsPushed = 0

    private let plan: ResamplePlan
    private let part: PixelRect
    private let storage: PixelStorage
    private let isOpaque: Bool
    private var band: ResampleBand

    /// Prepares to resample `source` to exactly `target`.
    ///
    /// - Parameters:
    ///   - source: In pixels, 1…65,535 on each side.
    ///   - target: In pixels, 1…65,535 on each side.
    ///   - part: The part of the target to make, within it; nil for all of it.
    ///   - filter: Lanczos with three lobes by default.
    ///   - isOpaque: A promise that every alpha is 255, which saves a pass.
    /// - Throws: ``PixelError`` if a size is out of range or memory cannot be allocated.
    package init(
        source: PixelSize,
        target: PixelSize,
        part: PixelRect? = nil,
        filter: ResampleFilter = .lanczos3,
        isOpaque: Bool
    ) throws(PixelError) {
        let part = part ?? PixelRect(size: target)
        plan = try ResamplePlan(source: source, target: target, filter: filter, isOpaque: isOpaque)
        storage = try Bitmap.allocate(part.size)
        self.part = part
        self.isOpaque = isOpaque
        band = try ResampleBand(
            plan,
            part,
            into: storage.base.assumingMemoryBound(to: UInt8.self),
            bytesPerRow: part.width * Bitmap.bytesPerPixel
        )
    }

    /// The source rows that the result depends on; others are counted, and not read.
    package var sourceRows: Range<Int> { band.sourceRows }

    /// The source columns that the result depends on; others may have any content.
    package var sourceColumns: Range<Int> { plan.sourceColumns(for: part) }

    /// Counts source rows before ``sourceRows`` as received.
    package func skip(_ count: Int) { rowsPushed += count }

    /// Consumes the next source row: width × 4 bytes of premultiplied RGBA, read during the call.
    ///
    /// Rows beyond the source's height are ignored.
    package func push(_ row: UnsafePointer<UInt8>) {
        push(row, bytesPerRow: plan.source.width * Bitmap.bytesPerPixel, count: 1)
    }

    /// Consumes the next `count` source rows at once, which is faster for large reductions.
    ///
    /// - Parameters:
    ///   - rows: The first row; premultiplied RGBA, read during the call.
    ///   - bytesPerRow: Bytes from the start of one row to the next.
    ///   - count: The number of rows; those beyond the source's height are ignored.
    package func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        let fed = min(count, plan.source.height - rowsPushed)
        guard fed > 0 else { return }
        let first = rowsPushed
        rowsPushed += fed
        let needed = (first..<rowsPushed).clamped(to: sourceRows)
        guard !needed.isEmpty else { return }
        band.feed(
            rows + (needed.lowerBound - first) * bytesPerRow,
            bytesPerRow: bytesPerRow,
            count: needed.count
        )
    }

    /// The bitmap.
    ///
    /// Target rows whose source rows never arrived are transparent.
    ///
    /// Call it once, after the last row.
    package func finish() -> Bitmap {
        Bitmap(
            size: part.size,
            bytesPerRow: part.width * Bitmap.bytesPerPixel,
            isOpaque: isOpaque && band.nextTarget == part.y + part.height,
            storage: storage
        )
    }
}
