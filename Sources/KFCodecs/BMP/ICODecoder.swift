import KFPixels

/// Decodes the icon entry that suits the target: the smallest that is large enough, or else the
/// largest.
///
/// Source: Microsoft, "Icons" (1995). Entries are PNG files or bitmaps with a mask. Cursors are files of the same kind.
struct ICODecoder {
    private struct Entry {
        var size: PixelSize
        var bits: Int
        var range: Range<Int>
    }

    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    /// Reads the header of the entry that a decode in full size would choose.
    static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        let decoder = ICODecoder(bytes: bytes, options: DecodeOptions())
        return try decoder.info(decoder.chooseEntry())
    }

    func decode() throws(CodecError) -> DecodedImage {
        let entry = try chooseEntry()
        let part = UnsafeRawBufferPointer(rebasing: bytes[entry.range])
        guard FileFormat.detect(part) != .png else {
            var image = try PNGDecoder(bytes: part, options: options).decode()
            image.info.format = .ico
            return image
        }
        return try decodeBitmap(part)
    }

    private func info(_ entry: Entry) throws(CodecError) -> ImageInfo {
        let part = UnsafeRawBufferPointer(rebasing: bytes[entry.range])
        // 40 bytes: the header of a bitmap, the shorter of the two formats.
        guard part.count >= 40 else { throw .truncated(.ico) }
        if FileFormat.detect(part) == .png {
            var info = try PNGHeader(parsing: part).info
            info.format = .ico
            return info
        }
        let header = try BMPHeader(parsing: ByteReader(part, .little), at: 0).iconColors
        return ImageInfo(format: .ico, storedSize: header.size, hasAlpha: true)
    }

    private func chooseEntry() throws(CodecError) -> Entry {
        let reader = ByteReader(bytes, .little)
        guard let count = reader.u16(at: 4) else { throw .truncated(.ico) }
        // A cursor has its point there.
        let hasBits = reader.u16(at: 2) == 1
        try ContainerLimits.check(count, .icons)
        var entries: [Entry] = []
        for index in 0..<count {
            let offset = 6 + index * 16
            guard let width = reader.u8(at: offset), let height = reader.u8(at: offset + 1),
                let bits = reader.u16(at: offset + 6), let length = reader.u32(at: offset + 8),
                let start = reader.u32(at: offset + 12)
            else { throw .truncated(.ico) }
            if start >= bytes.count, options.truncation == .fails { throw .truncated(.ico) }
            guard start < bytes.count else { continue }
            let size = PixelSize(
                width: width == 0 ? 256 : width,
                height: height == 0 ? 256 : height
            )
            let range = start..<min(bytes.count, start + length)
            entries.append(Entry(size: size, bits: hasBits ? bits : 0, range: range))
        }
        var wanted = Int.max
        if case .fit(let box) = options.target { wanted = min(box.width, box.height) }
        let sides = entries.map(\.size.longestSide)
        guard let side = sides.filter({ $0 >= wanted }).min() ?? sides.max() else {
            throw .truncated(.ico)
        }
        // Among entries of one size, the first with the most colours.
        let candidates = entries.filter { $0.size.longestSide == side }
        let bits = candidates.map(\.bits).max()
        guard let best = candidates.first(where: { $0.bits == bits }) else {
            throw .truncated(.ico)
        }
        return best
    }

    private func decodeBitmap(_ part: UnsafeRawBufferPointer) throws(CodecError) -> DecodedImage {
        let reader = ByteReader(part, .little)
        let header = try BMPHeader(parsing: reader, at: 0).iconColors
        try options.limits.check(header.size, of: .ico)
        let info = ImageInfo(format: .ico, storedSize: header.size, hasAlpha: true)
        let rows = try BMPRows(header, reader, at: header.endOfHeader, options.limits)
        if rows.isCutOff, options.truncation == .fails { throw .truncated(.ico) }
        let mask = ICOMask(header, reader)
        let sink = try RowSink(
            source: header.size,
            target: ShrinkOnLoad.storedTarget(of: info, options.target),
            isOpaque: false
        )
        for y in 0..<header.size.height {
            guard rows.copyRow(y, to: sink.nextRow) else {
                sink.discardRow()
                break
            }
            mask.apply(y, to: sink.nextRow)
            premultiplyRow(sink.nextRow, width: header.size.width)
            sink.commit()
        }
        return try .upright(sink.finish(), info, isPartial: rows.isCutOff)
    }
}

/// The transparency mask of an icon, one bit per pixel, bottom row first.
private struct ICOMask {
    private let reader: ByteReader
    private let size: PixelSize
    private let offset: Int
    private let stride: Int
    private let isNeeded: Bool

    init(_ header: BMPHeader, _ reader: ByteReader) {
        self.reader = reader
        size = header.size
        offset = header.endOfHeader + BMPRows.byteCount(header)
        stride = (size.width + 31) / 32 * 4
        guard header.bitsPerPixel == 32 else {
            isNeeded = true
            return
        }
        // Old programs leave the fourth byte zero and rely on the mask.
        isNeeded = !Swift.stride(from: header.endOfHeader + 3, to: offset, by: 4)
            .contains { reader.u8(at: $0) ?? 0 != 0 }
    }

    func apply(_ y: Int, to row: UnsafeMutablePointer<UInt8>) {
        guard isNeeded else { return }
        let start = offset + (size.height - 1 - y) * stride
        for x in 0..<size.width {
            // Pixels without mask bits are opaque.
            let bits = reader.u8(at: start + x / 8) ?? 0
            row[x * 4 + 3] = bits >> (7 - x % 8) & 1 != 0 ? 0 : 255
        }
    }
}
