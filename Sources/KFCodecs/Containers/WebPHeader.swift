import KFPixels

/// The chunks of a WebP file.
///
/// Source: RFC 9649, WebP Image Format, sections 2 and 3.4.
struct WebPHeader: Sendable {
    struct Frame: Sendable {
        var rect: PixelRect
        /// In milliseconds, as stated.
        var duration: Int
        var clears: Bool
        var replaces: Bool
        /// The range of the frame's alpha and image chunks.
        var payload: Range<Int>
    }

    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    private(set) var frames: [Frame] = []
    /// The number of frames whose chunk is complete.
    private(set) var wholeFrameCount = 0
    private(set) var loopCount = 1
    private(set) var profile: Range<Int>?
    private(set) var orientation = Orientation.up
    /// Whether a chunk reaches beyond the data.
    private(set) var isCutOff = false
    /// Whether the pixels of a still, or the first frame, have begun.
    private(set) var hasPixels = false
    private var promisesOrientation = false
    private var isExtended = false

    /// The header of a file, or of a prefix of one that is still arriving.
    static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        let header = try WebPHeader(parsing: bytes, limits: .default)
        guard !header.needsMore else { throw .truncated(.webp) }
        return header.info
    }

    /// Walks all chunks of a file or of a prefix of one.
    ///
    /// - Throws: ``CodecError``.
    init(
        parsing bytes: UnsafeRawBufferPointer,
        limits: DecodeLimits
    ) throws(CodecError) {
        let reader = ByteReader(bytes, .little)
        guard let riff = reader.u32(at: 4) else { throw .truncated(.webp) }
        // Bytes after the end of the container do not belong to the image.
        let end = min(bytes.count, riff + 8)
        var offset = 12
        var count = 0
        while offset + 8 <= end, let length = reader.u32(at: offset + 4) {
            let body = offset + 8
            let available = min(length, end - body)
            if length > available { isCutOff = true }
            guard let slice = reader.slice(at: body, count: available) else { break }
            let isWhole = length == available
            count += 1
            try ContainerLimits.check(count, .chunks)
            try readChunk(reader, at: offset, ByteReader(slice, .little), isWhole, limits)
            // Chunks are padded to even lengths.
            offset = body + length + length % 2
        }
        if riff + 8 > bytes.count { isCutOff = true }
        guard !size.isEmpty else { throw .truncated(.webp) }
    }

    /// Whether more bytes could change the result of an inspection.
    var needsMore: Bool {
        isCutOff && (promisesOrientation || !(hasPixels || isAnimated))
    }

    var info: ImageInfo {
        ImageInfo(
            format: .webp,
            storedSize: size,
            orientation: orientation,
            frameCount: isAnimated ? (isCutOff ? nil : frames.count) : 1,
            loopCount: isAnimated ? loopCount : nil,
            hasAlpha: hasAlpha,
            hasColorProfile: profile != nil
        )
    }

    private mutating func readChunk(
        _ file: ByteReader,
        at offset: Int,
        _ body: ByteReader,
        _ isWhole: Bool,
        _ limits: DecodeLimits
    ) throws(CodecError) {
        if file.has("VP8X", at: offset) {
            readExtended(body)
        } else if file.has("VP8 ", at: offset) || file.has("VP8L", at: offset) {
            if !isExtended { try readSimple(body, isLossless: file.has("VP8L", at: offset)) }
            hasPixels = true
        } else if file.has("ANIM", at: offset) {
            loopCount = body.u16(at: 4) ?? 1
        } else if file.has("ANMF", at: offset) {
            readFrame(body, at: offset + 8)
            try limits.check(frameCount: frames.count)
            if isWhole { wholeFrameCount = frames.count }
        } else if file.has("ICCP", at: offset) {
            profile = offset + 8..<offset + 8 + body.count
        } else if file.has("EXIF", at: offset), isWhole {
            orientation = EXIFOrientation.parse(body.bytes)
            promisesOrientation = false
        }
    }

    private mutating func readExtended(_ body: ByteReader) {
        guard let flags = body.u8(at: 0), let width = Self.u24(body, at: 4),
            let height = Self.u24(body, at: 7)
        else { return }
        isExtended = true
        size = PixelSize(width: width + 1, height: height + 1)
        hasAlpha = flags & 0x10 != 0
        isAnimated = flags & 0x02 != 0
        promisesOrientation = flags & 0x08 != 0
    }

    private mutating func readSimple(_ body: ByteReader, isLossless: Bool) throws(CodecError) {
        if isLossless {
            guard let bits = body.u32(at: 1) else { throw .truncated(.webp) }
            guard body.u8(at: 0) == 0x2F else { throw .corrupt(.webp, detail: "no VP8L mark") }
            size = PixelSize(width: bits & 0x3FFF + 1, height: (bits >> 14) & 0x3FFF + 1)
            hasAlpha = bits >> 28 & 1 != 0
        } else {
            guard let width = body.u16(at: 6), let height = body.u16(at: 8) else {
                throw .truncated(.webp)
            }
            // The two upper bits are hints for scaling.
            size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
            guard !size.isEmpty else { throw .corrupt(.webp, detail: "a size of \(size)") }
        }
    }

    private mutating func readFrame(_ body: ByteReader, at offset: Int) {
        guard let x = Self.u24(body, at: 0), let y = Self.u24(body, at: 3),
            let width = Self.u24(body, at: 6), let height = Self.u24(body, at: 9),
            let duration = Self.u24(body, at: 12), let flags = body.u8(at: 15)
        else { return }
        hasPixels = true
        frames.append(
            Frame(
                rect: PixelRect(x: x * 2, y: y * 2, width: width + 1, height: height + 1),
                duration: duration,
                clears: flags & 1 != 0,
                replaces: flags & 2 != 0,
                payload: offset + 16..<offset + body.count
            )
        )
    }

    private static func u24(_ reader: ByteReader, at offset: Int) -> Int? {
        guard let low = reader.u16(at: offset), let high = reader.u8(at: offset + 2) else {
            return nil
        }
        return low | high << 16
    }
}
