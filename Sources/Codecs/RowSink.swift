import Pixels

/// Receives the rows of a decoder and builds the bitmap in the target size.
///
/// Without scaling, the decoder writes straight into the bitmap. Otherwise each row is resampled as
/// it arrives, and the full-size bitmap never exists.
final class RowSink {
    let source: PixelSize
    private let target: PixelSize
    private let isOpaque: Bool
    private let resampler: RowResampler?
    /// The whole bitmap, or one row if it is resampled.
    private let storage: PixelStorage
    /// Where a row that is resampled begins in ``storage``.
    ///
    /// libjpeg-turbo writes pixels past the cache if their address is a multiple of its vectors'
    /// 16 or 32 bytes. The resampler reads the row at once: from memory, that took as long as
    /// the rest of the filter.
    private static let rowOffset = 8
    private var rows = 0

    /// Prepares for rows of `source` that become a bitmap of `target`.
    ///
    /// Both are sizes before orientation.
    ///
    /// - Throws: ``CodecError/pixels(_:)``.
    init(source: PixelSize, target: PixelSize, isOpaque: Bool) throws(CodecError) {
        self.source = source
        self.target = target
        self.isOpaque = isOpaque
        do throws(PixelError) {
            if source == target {
                resampler = nil
                storage = try Bitmap.allocate(target)
            } else {
                resampler = try RowResampler(source: source, target: target, isOpaque: isOpaque)
                storage = try PixelStorage(
                    byteCount: Self.rowOffset + source.width * Bitmap.bytesPerPixel
                )
            }
        } catch { throw .pixels(error) }
    }

    /// Where the decoder writes the next row: `source.width` × 4 bytes of premultiplied RGBA.
    var nextRow: UnsafeMutablePointer<UInt8> {
        let offset =
            resampler == nil
            ? min(rows, source.height - 1) * source.width * Bitmap.bytesPerPixel
            : Self.rowOffset
        return storage.base.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Accepts the row that was written to ``nextRow``.
    func commit() {
        guard rows < source.height else { return }
        resampler?.push(nextRow)
        rows += 1
    }

    /// Accepts `count` transparent rows.
    func commitBlank(_ count: Int) {
        guard count > 0 else { return }
        // Without scaling the memory is zero already, and untouched pages cost nothing.
        guard resampler != nil else {
            rows = min(source.height, rows + count)
            return
        }
        discardRow()
        for _ in 0..<count { commit() }
    }

    /// Clears a row that was begun and cannot be completed.
    func discardRow() {
        nextRow.update(repeating: 0, count: source.width * Bitmap.bytesPerPixel)
    }

    /// The bitmap; rows that never arrived are transparent.
    func finish() -> Bitmap {
        if let resampler { return resampler.finish() }
        return Bitmap(
            size: target,
            bytesPerRow: target.width * Bitmap.bytesPerPixel,
            isOpaque: isOpaque && rows == source.height,
            storage: storage
        )
    }
}
