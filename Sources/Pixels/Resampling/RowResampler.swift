/// Resamples a picture that arrives row by row, so that the full picture never exists.
///
/// Holds the target picture and the few filtered rows that the vertical filter needs. The result is
/// the same, bit for bit, as ``resample(_:to:filter:)`` of the whole picture.
package final class RowResampler {
    /// How many source rows came so far.
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
    ///   - filter: Lanczos with three lobes unless told otherwise.
    ///   - isOpaque: Promise that every alpha is 255, which spares a pass.
    /// - Throws: ``PixelError`` when a size is out of range or memory is short.
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

    /// Takes the next source row: width × 4 bytes of premultiplied RGBA, read during the call.
    ///
    /// Rows beyond the source's height are ignored.
    package func push(_ row: UnsafePointer<UInt8>) {
        push(row, bytesPerRow: plan.source.width * Bitmap.bytesPerPixel, count: 1)
    }

    /// Takes the next `count` source rows at once, which is quicker when the reduction is large.
    ///
    /// - Parameters:
    ///   - rows: The first row; premultiplied RGBA, read during the call.
    ///   - bytesPerRow: From the start of one row to the next.
    ///   - count: How many rows; those beyond the source's height are ignored.
    package func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        let fed = min(count, plan.source.height - rowsPushed)
        guard fed > 0 else { return }
        band.feed(rows, bytesPerRow: bytesPerRow, count: fed)
        rowsPushed += fed
    }

    /// The picture; target rows whose source rows never came are transparent.
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
