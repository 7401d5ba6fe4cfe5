import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Receives the rows of a decoder and builds the bitmap in the target size, or a part of it.
///
/// Without scaling, the decoder writes straight into the bitmap, unless the part is narrower.
/// Otherwise each row is resampled or cut as it arrives, and the full-size bitmap never exists.
final class RowSink {
    let source: PixelSize
    /// The rows that the result depends on; a decoder may skip the ones before, and stop after
    /// them.
    let neededRows: Range<Int>
    /// The columns that the result depends on; others may have any content.
    let neededColumns: Range<Int>
    private let part: PixelRect
    private let isOpaque: Bool
    private let resampler: RowResampler?
    /// The whole result, or one row if it is resampled or cut.
    private let storage: PixelStorage
    /// Where a row that is resampled or cut begins in ``storage``.
    ///
    /// libjpeg-turbo writes pixels past the cache if their address is a multiple of its vectors'
    /// 16 or 32 bytes. The resampler reads the row at once: from memory, that took as long as
    /// the rest of the filter.
    private static let rowOffset = 8
    /// The result if rows are cut.
    private let cut: PixelStorage?
    private var rows = 0

    /// Prepares for rows of `source` that become a bitmap of `target`.
    ///
    /// All are before orientation.
    ///
    /// - Parameters:
    ///   - source: The size of the decoder's output.
    ///   - target: The size to produce.
    ///   - part: The part of the target to produce, within it; nil for all of it.
    ///   - isOpaque: A promise that every alpha is 255.
    /// - Throws: ``CodecError/pixels(_:)``.
    init(
        source: PixelSize,
        target: PixelSize,
        part: PixelRect? = nil,
        isOpaque: Bool
    ) throws(CodecError) {
        self.source = source
        self.isOpaque = isOpaque
        let kept = part ?? PixelRect(size: target)
        self.part = kept
        let rowBytes = Self.rowOffset + source.width * Bitmap.bytesPerPixel
        do throws(PixelError) {
            if source == target {
                resampler = nil
                let isCut = kept.width < target.width
                storage = try isCut ? PixelStorage(byteCount: rowBytes) : Bitmap.allocate(kept.size)
                cut = try isCut ? Bitmap.allocate(kept.size) : nil
                neededRows = kept.y..<(kept.y + kept.height)
                neededColumns = kept.x..<(kept.x + kept.width)
            } else {
                let resampler = try RowResampler(
                    source: source,
                    target: target,
                    part: part,
                    isOpaque: isOpaque
                )
                self.resampler = resampler
                storage = try PixelStorage(byteCount: rowBytes)
                cut = nil
                // A whole image is read to its end, so that faults there are found.
                neededRows = part == nil ? 0..<source.height : resampler.sourceRows
                neededColumns = part == nil ? 0..<source.width : resampler.sourceColumns
            }
        } catch { throw .pixels(error) }
    }

    /// Where the decoder writes the next row: `source.width` × 4 bytes of premultiplied RGBA.
    var nextRow: UnsafeMutablePointer<UInt8> {
        let isWhole = resampler == nil && cut == nil
        let row = max(0, min(rows - part.y, part.height - 1))
        let offset = isWhole ? row * source.width * Bitmap.bytesPerPixel : Self.rowOffset
        return storage.base.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Whether the next row is one of ``neededRows``.
    var needsNextRow: Bool { neededRows.contains(rows) }

    /// Accepts the row that was written to ``nextRow``.
    func commit() {
        guard rows < source.height else { return }
        resampler?.push(nextRow)
        if let cut, needsNextRow {
            let bytesPerRow = part.width * Bitmap.bytesPerPixel
            memcpy(
                cut.base + (rows - part.y) * bytesPerRow,
                nextRow + part.x * Bitmap.bytesPerPixel,
                bytesPerRow
            )
        }
        rows += 1
    }

    /// Counts rows before ``neededRows`` that the decoder leaves out.
    func skip(_ count: Int) {
        resampler?.skip(count)
        rows += count
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
            size: part.size,
            bytesPerRow: part.width * Bitmap.bytesPerPixel,
            isOpaque: isOpaque && rows >= neededRows.upperBound,
            storage: cut ?? storage
        )
    }
}
