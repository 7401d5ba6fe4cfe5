import CDeflate
import Pixels

/// The rows of a picture as a PNG holds them: a filter's number, then the filtered bytes.
struct PNGRowWriter {
    let bitmap: Bitmap
    let layout: PNGLayout
    /// Two rows with a zero pixel before each, and one to try filters in.
    private let scratch: PixelStorage

    // At least as much as the widest pixel.
    private static let margin = 16

    init(_ bitmap: Bitmap, _ layout: PNGLayout) throws(CodecError) {
        self.bitmap = bitmap
        self.layout = layout
        scratch = try .forEncoding((bitmap.width * layout.step + Self.margin) * 3)
    }

    /// Bytes of a row.
    var rowBytes: Int { bitmap.width * layout.step + 1 }

    /// Writes some rows as they are.
    func writePlain(_ range: Range<Int>, to target: UnsafeMutablePointer<UInt8>) {
        for (index, y) in range.enumerated() {
            let row = target + index * rowBytes
            row[0] = 0
            copy(y, to: row + 1)
        }
    }

    /// Writes some rows, each by the filter that seems best for it.
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

    /// Whether the picture is smaller without filters, as drawings and screenshots are.
    ///
    /// Filters turn the repetitions that deflate lives on into differences, and the sum by which they
    /// are chosen does not see it: a drawing of flat colours and text came out a sixth larger. So
    /// where pixels repeat at all, a sample is compressed both ways.
    func areBetterPlain() throws(CodecError) -> Bool {
        // Fewer rows hide what repeats from row to row, more take longer.
        let groups = sample(groups: 8)
        let rowCount = groups.reduce(0) { $0 + $1.count }
        let byteCount = rowCount * rowBytes
        // 1: the level that only finds what repeats, and quickly.
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
        // 0 when it does not fit into as many bytes.
        return libdeflate_deflate_compress(compressor, rows, byteCount, compressed, plain) == 0
    }

    /// Whether half the bytes of plain rows are those of the pixel before, as in no photograph.
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

    /// Groups of eight neighbouring rows, spread over the picture.
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
