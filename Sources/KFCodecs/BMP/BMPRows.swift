import KFPixels

/// The rows of a device-independent bitmap, from the top, as straight RGBA.
struct BMPRows {
    private let header: BMPHeader
    private let reader: ByteReader
    private let offset: Int
    /// The palette indices of a run-length encoded bitmap, bottom row first.
    private let unpacked: [UInt8]
    /// Whether the data ends before the last row.
    let isCutOff: Bool

    /// Locates the rows, which begin at `offset`.
    ///
    /// Run-length encoded ones are unpacked here.
    init(
        _ header: BMPHeader,
        _ reader: ByteReader,
        at offset: Int,
        _ limits: DecodeLimits
    ) throws(CodecError) {
        self.header = header
        self.reader = reader
        self.offset = offset
        guard header.compression != .none else {
            unpacked = []
            isCutOff = Self.byteCount(header) > reader.count - offset
            return
        }
        let count = header.size.byteCount(bytesPerPixel: 1)
        try limits.check(workingBytes: count)
        var runs = BMPRuns(header)
        isCutOff = !runs.unpack(reader, at: offset)
        unpacked = runs.indices
    }

    // Rows are padded to 32-bit words.
    static func stride(_ header: BMPHeader) -> Int {
        (header.size.width * header.bitsPerPixel + 31) / 32 * 4
    }

    /// The bytes of all rows of an uncompressed bitmap.
    static func byteCount(_ header: BMPHeader) -> Int {
        PixelSize(width: stride(header), height: header.size.height).byteCount(bytesPerPixel: 1)
    }

    /// Writes row `y`, counted from the top; returns false if the data ends before it.
    func copyRow(_ y: Int, to target: UnsafeMutablePointer<UInt8>) -> Bool {
        let row = header.isTopDown ? y : header.size.height - 1 - y
        if header.compression != .none {
            let start = row * header.size.width
            for x in 0..<header.size.width { put(Int(unpacked[start + x]), at: x, target) }
            return true
        }
        let length = Self.stride(header)
        guard let line = reader.slice(at: offset + row * length, count: length) else {
            return false
        }
        switch header.bitsPerPixel {
        case ...8: copyIndices(line, target)
        case 16: copyPixels(line, step: 2, target)
        case 24: copyPixels(line, step: 3, target)
        default: copyPixels(line, step: 4, target)
        }
        return true
    }

    private func copyIndices(
        _ line: UnsafeRawBufferPointer,
        _ target: UnsafeMutablePointer<UInt8>
    ) {
        let bits = header.bitsPerPixel
        let perByte = 8 / bits
        for x in 0..<header.size.width {
            let shift = (perByte - 1 - x % perByte) * bits
            put(Int(line[x / perByte]) >> shift & (1 << bits - 1), at: x, target)
        }
    }

    private func put(_ index: Int, at x: Int, _ target: UnsafeMutablePointer<UInt8>) {
        let color = index < header.palette.count ? header.palette[index] : .black
        target[x * 4] = color.red
        target[x * 4 + 1] = color.green
        target[x * 4 + 2] = color.blue
        target[x * 4 + 3] = 255
    }

    private func copyPixels(
        _ line: UnsafeRawBufferPointer,
        step: Int,
        _ target: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<header.size.width {
            var pixel = 0
            for byte in 0..<step { pixel |= Int(line[x * step + byte]) << (byte * 8) }
            target[x * 4] = UInt8(header.red.value(pixel))
            target[x * 4 + 1] = UInt8(header.green.value(pixel))
            target[x * 4 + 2] = UInt8(header.blue.value(pixel))
            let isOpaque = header.alpha.maximum == 0
            target[x * 4 + 3] = isOpaque ? 255 : UInt8(header.alpha.value(pixel))
        }
    }
}

/// Unpacks RLE8 and RLE4.
private struct BMPRuns {
    private(set) var indices: [UInt8]
    private let size: PixelSize
    private let isFour: Bool
    private var x = 0
    private var y = 0

    init(_ header: BMPHeader) {
        size = header.size
        isFour = header.compression == .runs4
        indices = [UInt8](repeating: 0, count: size.byteCount(bytesPerPixel: 1))
    }

    /// Reads code pairs until the bitmap is full; returns false if the data ends first.
    mutating func unpack(_ reader: ByteReader, at start: Int) -> Bool {
        var offset = start
        while y < size.height {
            guard let count = reader.u8(at: offset), let value = reader.u8(at: offset + 1) else {
                return false
            }
            offset += 2
            if count > 0 {
                for index in 0..<count { put(index % 2 == 0 ? high(value) : low(value)) }
                continue
            }
            switch value {
            case 0:
                x = 0
                y += 1
            case 1:
                return true
            case 2:
                guard let right = reader.u8(at: offset), let up = reader.u8(at: offset + 1) else {
                    return false
                }
                x += right
                y += up
                offset += 2
            default:
                guard let bytes = copyLiteral(value, reader, at: offset) else { return false }
                offset += bytes
            }
        }
        return true
    }

    private mutating func copyLiteral(_ count: Int, _ reader: ByteReader, at offset: Int) -> Int? {
        for index in 0..<count {
            guard let byte = reader.u8(at: offset + (isFour ? index / 2 : index)) else {
                return nil
            }
            put(index % 2 == 0 ? high(byte) : low(byte))
        }
        let bytes = isFour ? (count + 1) / 2 : count
        return bytes + bytes % 2
    }

    private func high(_ byte: Int) -> Int { isFour ? byte >> 4 : byte }
    private func low(_ byte: Int) -> Int { isFour ? byte & 15 : byte }

    private mutating func put(_ index: Int) {
        if x < size.width, y < size.height { indices[y * size.width + x] = UInt8(index) }
        x += 1
    }
}
