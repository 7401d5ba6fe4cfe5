import KFPixels

/// The parts of a PNG before its pixels.
///
/// Source: W3C, Portable Network Graphics (Third Edition), sections 5, 11 and 13 (APNG).
struct PNGHeader {
    var size: PixelSize
    var bitsPerChannel: Int
    var colorType: Int
    var isInterlaced: Bool
    var hasTransparency = false
    var hasColorProfile = false
    private(set) var colors = PNGColors()
    var orientation = Orientation.up
    /// From `acTL`; nil for stills.
    var animation: (frameCount: Int, loopCount: Int)?
    /// Whether the default image is the first frame of the animation.
    private(set) var beginsWithFrame = false

    /// The signature's length: the offset of the first chunk.
    static let firstChunk = 8
    /// The bytes of a chunk's length, type and checksum.
    static let chunkOverhead = 12
    // Real files have a few dozen chunks before the pixels. A file with more than this is an
    // attack.
    private static let maxChunkCount = 10_000

    /// Walks the chunks up to the first pixels.
    ///
    /// - Throws: ``CodecError``.
    init(parsing bytes: UnsafeRawBufferPointer) throws(CodecError) {
        HeaderParses.add()
        let reader = ByteReader(bytes, .big)
        let body = Self.firstChunk + 8
        guard let width = reader.u32(at: body), let height = reader.u32(at: body + 4),
            let bits = reader.u8(at: body + 8), let type = reader.u8(at: body + 9),
            let interlace = reader.u8(at: body + 12)
        else { throw .truncated(.png) }
        guard reader.has("IHDR", at: Self.firstChunk + 4) else {
            throw .corrupt(.png, detail: "no header")
        }
        guard width > 0, height > 0 else {
            throw .corrupt(.png, detail: "a size of \(width) × \(height)")
        }
        size = PixelSize(width: width, height: height)
        bitsPerChannel = bits
        colorType = type
        isInterlaced = interlace == 1
        try readChunks(reader)
    }

    var info: ImageInfo {
        ImageInfo(
            format: .png,
            storedSize: size,
            orientation: orientation,
            frameCount: animation?.frameCount ?? 1,
            loopCount: animation?.loopCount,
            hasAlpha: colorType & 4 != 0 || hasTransparency,
            isProgressive: isInterlaced,
            bitsPerChannel: bitsPerChannel,
            hasColorProfile: hasColorProfile
        )
    }

    private mutating func readChunks(_ reader: ByteReader) throws(CodecError) {
        var offset = Self.firstChunk
        for _ in 0..<Self.maxChunkCount {
            guard let length = reader.u32(at: offset), reader.u32(at: offset + 4) != nil else {
                throw .truncated(.png)
            }
            if reader.has("IDAT", at: offset + 4) || reader.has("IEND", at: offset + 4) { return }
            // 2³¹ − 1: the format's own limit.
            guard length <= 0x7FFF_FFFF else {
                throw .corrupt(.png, detail: "a chunk of \(length) bytes")
            }
            guard let body = reader.slice(at: offset + 8, count: length) else {
                throw .truncated(.png)
            }
            readChunk(reader, at: offset, ByteReader(body, .big))
            offset += length + Self.chunkOverhead
        }
        throw .corrupt(.png, detail: "more than \(Self.maxChunkCount) chunks before the pixels")
    }

    private mutating func readChunk(_ reader: ByteReader, at offset: Int, _ body: ByteReader) {
        if reader.has("tRNS", at: offset + 4) {
            hasTransparency = true
        } else if reader.has("PLTE", at: offset + 4) {
            // Transparency before the palette is not valid (PNG, 5.6), and is ignored.
            hasTransparency = false
        } else if colors.read(reader, at: offset + 4, body) {
            hasColorProfile = colors.profile != nil
        } else if reader.has("eXIf", at: offset + 4) {
            orientation = EXIFOrientation.parse(body.bytes)
        } else if reader.has("fcTL", at: offset + 4) {
            beginsWithFrame = true
        } else if reader.has("acTL", at: offset + 4), let frames = body.u32(at: 0),
            let plays = body.u32(at: 4), frames > 0
        {
            animation = (frames, plays)
        }
    }
}
