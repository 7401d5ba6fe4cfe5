import Pixels

/// Takes the rows of a decoder and makes the picture of the wanted size from them.
///
/// Without scaling the decoder writes straight into the picture; else each row is resampled as it
/// comes, and the full picture never exists.
final class RowSink {
    let source: PixelSize
    private let target: PixelSize
    private let isOpaque: Bool
    private let resampler: RowResampler?
    /// The picture itself, or one row.
    private let storage: PixelStorage
    private var rows = 0

    /// Prepares for rows of the size `source` that make a picture of the size `target`.
    ///
    /// Both are sizes before orientation.
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
                storage = try PixelStorage(byteCount: source.width * Bitmap.bytesPerPixel)
            }
        } catch { throw .pixels(error) }
    }

    /// Where the decoder writes the next row as width × 4 bytes of premultiplied RGBA.
    var nextRow: UnsafeMutablePointer<UInt8> {
        let row = resampler == nil ? min(rows, source.height - 1) : 0
        let offset = row * source.width * Bitmap.bytesPerPixel
        return storage.base.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Takes the row that was written to ``nextRow``.
    func commit() {
        guard rows < source.height else { return }
        resampler?.push(nextRow)
        rows += 1
    }

    /// Takes transparent rows.
    func commitBlank(_ count: Int) {
        guard count > 0 else { return }
        // Without scaling they are there already, and memory that nobody touches costs nothing.
        guard resampler != nil else {
            rows = min(source.height, rows + count)
            return
        }
        discardRow()
        for _ in 0..<count { commit() }
    }

    /// Wipes a row that was begun and cannot be completed.
    func discardRow() {
        nextRow.update(repeating: 0, count: source.width * Bitmap.bytesPerPixel)
    }

    /// The picture; rows that never came are transparent.
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
