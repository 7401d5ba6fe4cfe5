/// Resamples a bitmap that arrives row by row, so that the full-size bitmap never exists.
///
/// Holds the target bitmap and the few filtered rows that the vertical filter needs. The result
/// equals that of ``resample(_:to:filter:)``, bit for bit.
package final class RowResampler {
    /// The number of source rows received so far.
    package private(set) var rowsPushed = 0

    private let plan: ResamplePlan
    private let storage: PixelStorage
    private let isOpaque: Bool
    private var band: ResampleBand

    /// Prepares to resample `source` to exactly `target`.
    ///
    /// - Parameters:
    ///   - source: In pixels, 1…65,535 on each side.
    ///   - target: In pixels, 1…65,535 on each side.
    ///   - filter: Lanczos with three lobes by default.
    ///   - isOpaque: A promise that every alpha is 255, which saves a pass.
    /// - Throws: ``PixelError`` if a size is out of range or memory cannot be allocated.
    package init(
        source: PixelSize,
        target: PixelSize,
        filter: ResampleFilter = .lanczos3,
        isOpaque: Bool
    ) throws(PixelError) {
        plan = try ResamplePlan(source: source, target: target, filter: filter, isOpaque: isOpaque)
        storage = try Bitmap.allocate(target)
        self.isOpaque = isOpaque
        band = try ResampleBand(
            plan,
            rows: 0..<target.height,
            into: storage.base.assumingMemoryBound(to: UInt8.self),
            bytesPerRow: target.width * Bitmap.bytesPerPixel
        )
    }

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
        band.feed(rows, bytesPerRow: bytesPerRow, count: fed)
        rowsPushed += fed
    }

    /// The bitmap.
    ///
    /// Target rows whose source rows never arrived are transparent.
    ///
    /// Call it once, after the last row.
    package func finish() -> Bitmap {
        Bitmap(
            size: plan.target,
            bytesPerRow: plan.target.width * Bitmap.bytesPerPixel,
            isOpaque: isOpaque && band.nextTarget == plan.target.height,
            storage: storage
        )
    }
}
