import CKFDeflate
import KFPixels

/// Writes the rows of a bitmap as PNG stores them: the filter's number, then the filtered bytes.
struct PNGRowWriter {
    let bitmap: Bitmap
    let layout: PNGLayout
    /// Two rows with a zero margin before each, and one to try filters in.
    private let scratch: PixelStorage

    // At least the bytes of the widest pixel.
    private static let margin = 16

    init(_ bitmap: Bitmap, _ layout: PNGLayout) throws(CodecError) {
        self.bitmap = bitmap
        self.layout = layout
        scratch = try .forEncoding((bitmap.width * layout.step + Self.margin) * 3)
    }

    /// Bytes per row, including the filter's number.
    var rowBytes: Int { bitmap.width * layout.step + 1 }

    /// Writes the rows of `range` without a filter.
    func writePlain(_ range: Range<Int>, to target: UnsafeMutablePointer<UInt8>) {
        for (index, y) in range.enumerated() {
            let row = target + index * rowBytes
            row[0] = 0
            copy(y, to: row + 1)
        }
    }

    /// Writes the rows of `range`, each with the filter that seems best for it.
    func writeFiltered(_ range: Range<Int>, to target: UnsafeMutablePointer<UInt8>) {
        let count = rowBytes - 1
        let base = scratch.base.assumingMemoryBound(to: UInt8.self)
        var row = base + Self.margin
        var above = row + count + Self.margin
        let trial = above + count + Self.margin
        if range.lowerBound > 0 {
            copy(range.lowerBound - 1, to: above)
        } else {
            above.update(repeating: 0, count: count)
        }
        for (index, y) in range.enumerated() {
            copy(y, to: row)
            PNGFilter.writeBest(
                row,
                above: above,
                count: count,
                step: layout.step,
                to: target + index * rowBytes,
                scratch: trial
            )
            swap(&row, &above)
        }
    }

    /// Whether the file is smaller without filters, as for drawings and screenshots.
    ///
    /// Filters turn the repetitions that deflate relies on into differences, which the choice of a
    /// filter does not consider: a drawing of flat colours and text came out a sixth larger.
    /// Therefore, if enough pixels repeat, a sample is compressed both ways.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    func areBetterPlain() throws(CodecError) -> Bool {
        // Smaller groups would hide repetitions between rows; more groups take longer.
        let groups = sample(groups: 8)
        let rowCount = groups.reduce(0) { $0 + $1.count }
        let byteCount = rowCount * rowBytes
        // 1: the fastest level that finds repetitions.
        guard let compressor = libdeflate_alloc_compressor(1) else { return false }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_deflate_compress_bound(compressor, byteCount)
        let memory = try PixelStorage.forEncoding(byteCount + bound)
        let rows = memory.base.assumingMemoryBound(to: UInt8.self)
        let compressed = memory.base + byteCount

        var place = rows
        for group in groups {
            writePlain(group, to: place)
            place += group.count * rowBytes
        }
        guard repeats(rows, rowCount) else { return false }
        let plain = libdeflate_deflate_compress(compressor, rows, byteCount, compressed, bound)
        place = rows
        for group in groups {
            writeFiltered(group, to: place)
            place += group.count * rowBytes
        }
        // 0 if the result does not fit into `plain` bytes.
        return libdeflate_deflate_compress(compressor, rows, byteCount, compressed, plain) == 0
    }

    /// Whether half the bytes of plain rows equal those of the previous pixel.
    ///
    /// Photographs do not reach that.
    private func repeats(_ rows: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var equal = 0
        for row in 0..<count {
            let bytes = rows + row * rowBytes + 1
            let before = bytes - layout.step
            for index in layout.step..<(rowBytes - 1) where bytes[index] == before[index] {
                equal += 1
            }
        }
        return equal * 2 >= count * (rowBytes - 1)
    }

    /// Groups of up to eight neighbouring rows, spread over the bitmap.
    func sample(groups: Int) -> [Range<Int>] {
        let size = min(8, bitmap.height)
        let count = min(groups, bitmap.height / size)
        return (0..<count).map { index in
            let start = count == 1 ? 0 : index * (bitmap.height - size) / (count - 1)
            return start..<start + size
        }
    }

    private func copy(_ y: Int, to target: UnsafeMutablePointer<UInt8>) {
        let pixels = bitmap.storage.base + y * bitmap.bytesPerRow
        layout.copyRow(
            pixels.assumingMemoryBound(to: UInt8.self),
            width: bitmap.width,
            to: target
        )
    }
}
