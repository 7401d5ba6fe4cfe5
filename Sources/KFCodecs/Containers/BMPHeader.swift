import KFPixels

/// The header of a device-independent bitmap.
///
/// Source: Microsoft, Windows GDI, BITMAPINFOHEADER to BITMAPV5HEADER; the OS/2 header of 12 bytes.
struct BMPHeader {
    enum Compression {
        case none
        case runs8
        case runs4
    }

    /// The position of a channel's bits in a pixel.
    struct Mask {
        var shift = 0
        /// 0 if the pixel lacks the channel.
        var maximum = 0

        init(_ bits: Int = 0) {
            guard bits != 0 else { return }
            shift = bits.trailingZeroBitCount
            maximum = bits >> shift
        }

        func value(_ pixel: Int) -> Int {
            maximum == 0 ? 0 : ((pixel >> shift & maximum) * 255 + maximum / 2) / maximum
        }
    }

    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var isTopDown = false
    private(set) var bitsPerPixel = 0
    private(set) var compression = Compression.none
    private(set) var red = Mask()
    private(set) var green = Mask()
    private(set) var blue = Mask()
    private(set) var alpha = Mask()
    /// Opaque colours; empty without a table.
    private(set) var palette: [RGBA] = []
    /// Where the pixels begin unless the file header gives an offset.
    private(set) var endOfHeader = 0

    /// Parses the header.
    ///
    /// - Parameters:
    ///   - reader: Little-endian.
    ///   - start: The offset of the header: 14 in a file, 0 in an icon.
    ///   - pixels: The pixel offset stated in the file header. A palette without a stated number of
    ///     colours ends there at the latest.
    /// - Throws: ``CodecError``.
    init(parsing reader: ByteReader, at start: Int, pixels: Int? = nil) throws(CodecError) {
        guard let length = reader.u32(at: start) else { throw .truncated(.bmp) }
        let isOld = length == 12
        guard isOld || (16...1024).contains(length) else {
            throw .corrupt(.bmp, detail: "a header of \(length) bytes")
        }
        let width = isOld ? reader.u16(at: start + 4) : reader.i32(at: start + 4)
        let height = isOld ? reader.u16(at: start + 6) : reader.i32(at: start + 8)
        guard let width, let height, let bits = reader.u16(at: start + (isOld ? 10 : 14)) else {
            throw .truncated(.bmp)
        }
        size = PixelSize(width: width, height: abs(height))
        isTopDown = height < 0
        bitsPerPixel = bits
        guard !size.isEmpty else { throw .corrupt(.bmp, detail: "a size of \(size)") }
        let method = length >= 20 ? reader.u32(at: start + 16) ?? 0 : 0
        try readMethod(method, reader, at: start, length)
        guard bitsPerPixel <= 8 else { return }
        let stated = length >= 36 ? reader.u32(at: start + 32) ?? 0 : 0
        try readPalette(reader, stated: stated, step: isOld ? 3 : 4, end: pixels)
    }

    /// The header of an icon's colours.
    ///
    /// The stated height includes a mask of the same size, and the fourth byte of a pixel is alpha.
    var iconColors: BMPHeader {
        var colors = self
        colors.size.height /= 2
        if bitsPerPixel == 32 { colors.alpha = Mask(0xFF00_0000) }
        return colors
    }

    private mutating func readMethod(
        _ method: Int,
        _ reader: ByteReader,
        at start: Int,
        _ length: Int
    ) throws(CodecError) {
        endOfHeader = start + length
        switch (method, bitsPerPixel) {
        case (0, 1), (0, 2), (0, 4), (0, 8):
            break
        case (0, 16):
            setMasks(0x7C00, 0x03E0, 0x001F, 0)
        case (0, 24), (0, 32):
            setMasks(0xFF_0000, 0xFF00, 0xFF, 0)
        case (1, 8):
            compression = .runs8
        case (2, 4):
            compression = .runs4
        case (3, 16), (3, 32), (6, 16), (6, 32):
            let fields = start + 40
            guard let red = reader.u32(at: fields), let green = reader.u32(at: fields + 4),
                let blue = reader.u32(at: fields + 8)
            else { throw .truncated(.bmp) }
            let hasAlpha = method == 6 || length >= 56
            setMasks(red, green, blue, hasAlpha ? reader.u32(at: fields + 12) ?? 0 : 0)
            // The short header is followed by the masks.
            if length == 40 { endOfHeader += method == 6 ? 16 : 12 }
        default:
            throw .unsupported(.bmp, feature: "compression \(method) of \(bitsPerPixel) bits")
        }
        if isTopDown, compression != .none {
            throw .corrupt(.bmp, detail: "run-length encoded rows from the top down")
        }
    }

    private mutating func setMasks(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int) {
        self.red = Mask(red)
        self.green = Mask(green)
        self.blue = Mask(blue)
        self.alpha = Mask(alpha)
    }

    private mutating func readPalette(
        _ reader: ByteReader,
        stated: Int,
        step: Int,
        end: Int?
    ) throws(CodecError) {
        let most = 1 << bitsPerPixel
        var count = stated == 0 ? most : min(stated, most)
        let room = end.map { ($0 - endOfHeader) / step } ?? 0
        if stated == 0, room > 0 { count = min(count, room) }
        for index in 0..<count {
            let entry = endOfHeader + index * step
            guard let blue = reader.u8(at: entry), let green = reader.u8(at: entry + 1),
                let red = reader.u8(at: entry + 2)
            else { throw .truncated(.bmp) }
            palette.append(RGBA(red: UInt8(red), green: UInt8(green), blue: UInt8(blue)))
        }
        endOfHeader += count * step
    }
}
