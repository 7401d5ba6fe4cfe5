import KFPixels

/// The block structure of a GIF, parsed without decoding any pixels.
///
/// Source: CompuServe, Graphics Interchange Format, Version 89a; Netscape's looping extension.
struct GIFHeader: Sendable {
    struct Frame: Sendable {
        /// The offset of the image descriptor.
        var offset: Int
        /// As stated; may reach outside the screen.
        var rect: PixelRect
        /// In seconds, as stated.
        var delay: Double
        var disposal: FrameDescriptor.Disposal
        /// The index of the transparent colour.
        var transparentIndex: Int?
        var isInterlaced: Bool
    }

    private(set) var size: PixelSize
    private(set) var frames: [Frame] = []
    /// How often to play; 0 means forever.
    private(set) var loopCount = 1
    /// The number of frames whose data is complete: all of them, or all but the last.
    private(set) var wholeFrameCount = 0
    /// Whether the file ends within a frame, or before the first one.
    private(set) var isCutOff = false
    /// The extensions without which the frames look the same: comments, texts, XMP, unknown ones.
    private(set) var descriptions: [Range<Int>] = []
    /// The offset of the end of the last whole block.
    private(set) var end: Int

    private var control = GraphicControl()

    private struct GraphicControl {
        var delay = 0.0
        var disposal = FrameDescriptor.Disposal.keep
        var transparentIndex: Int?
    }

    /// The header of a file, or of a prefix of one that is still arriving.
    static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        let header = try GIFHeader(parsing: bytes, limits: .default)
        guard !header.frames.isEmpty else { throw .truncated(.gif) }
        return header.info
    }

    var info: ImageInfo {
        ImageInfo(
            format: .gif,
            storedSize: size,
            frameCount: isCutOff ? nil : frames.count,
            loopCount: frames.count > 1 ? loopCount : nil,
            hasAlpha: hasAlpha,
            isProgressive: frames.first?.isInterlaced ?? false
        )
    }

    /// Walks all blocks.
    ///
    /// - Throws: ``CodecError``.
    init(
        parsing bytes: UnsafeRawBufferPointer,
        limits: DecodeLimits
    ) throws(CodecError) {
        let reader = ByteReader(bytes, .little)
        guard let width = reader.u16(at: 6), let height = reader.u16(at: 8),
            let flags = reader.u8(at: 10)
        else { throw .truncated(.gif) }
        size = PixelSize(width: width, height: height)
        end = min(13 + Self.tableBytes(flags), reader.count)
        var count = 0
        while let next = try readBlock(reader, at: end, limits) {
            end = next
            count += 1
            try ContainerLimits.check(count, .chunks)
        }
        // Some writers leave the screen size empty and rely on the first frame's.
        if size.isEmpty, let first = frames.first?.rect {
            size = PixelSize(width: first.x + first.width, height: first.y + first.height)
        }
    }

    var hasAlpha: Bool {
        frames.contains { $0.transparentIndex != nil || $0.disposal == .clear }
            || frames.first.map { $0.rect != PixelRect(size: size) } ?? true
    }

    /// Reads the block at `offset`.
    ///
    /// Returns the offset of the next one, or nil at the end of the file or of the readable part.
    private mutating func readBlock(
        _ reader: ByteReader,
        at offset: Int,
        _ limits: DecodeLimits
    ) throws(CodecError) -> Int? {
        switch reader.u8(at: offset) {
        case 0x21:
            return readExtension(reader, at: offset)
        case 0x2C:
            return try readImage(reader, at: offset, limits)
        case nil:
            // Decoders accept a file without the trailer if its frames are complete.
            if frames.isEmpty { isCutOff = true }
            return nil
        default:
            // The trailer, or invalid data after which no block can be found.
            return nil
        }
    }

    private mutating func readExtension(_ reader: ByteReader, at offset: Int) -> Int? {
        let body = offset + 2
        var isDescription = false
        switch reader.u8(at: offset + 1) {
        case 0xF9:
            readControl(reader, at: body + 1)
        case 0xFF where isLooping(reader, at: body):
            // Sub-block of three bytes: 1, then the number of repetitions.
            if reader.u8(at: body + 12) == 3, reader.u8(at: body + 13) == 1,
                let repetitions = reader.u16(at: body + 14)
            {
                loopCount = repetitions == 0 ? 0 : repetitions + 1
            }
        case 0xFF where reader.has("ICCRGBG1012", at: body + 1):
            // A colour profile.
            break
        default:
            isDescription = true
        }
        guard let end = Self.endOfSubBlocks(reader, at: body) else {
            isCutOff = true
            return nil
        }
        if isDescription { descriptions.append(offset..<end) }
        return end
    }

    private func isLooping(_ reader: ByteReader, at body: Int) -> Bool {
        reader.has("NETSCAPE2.0", at: body + 1) || reader.has("ANIMEXTS1.0", at: body + 1)
    }

    private mutating func readControl(_ reader: ByteReader, at offset: Int) {
        guard let flags = reader.u8(at: offset), let delay = reader.u16(at: offset + 1),
            let index = reader.u8(at: offset + 3)
        else { return }
        control.delay = Double(delay) / 100
        control.transparentIndex = flags & 1 != 0 ? index : nil
        control.disposal =
            switch flags >> 2 & 7 {
            case 2: .clear
            // Some writers use 4 instead of 3.
            case 3, 4: .restore
            default: .keep
            }
    }

    private mutating func readImage(
        _ reader: ByteReader,
        at offset: Int,
        _ limits: DecodeLimits
    ) throws(CodecError) -> Int? {
        guard let x = reader.u16(at: offset + 1), let y = reader.u16(at: offset + 3),
            let width = reader.u16(at: offset + 5), let height = reader.u16(at: offset + 7),
            let flags = reader.u8(at: offset + 9)
        else {
            isCutOff = true
            return nil
        }
        frames.append(
            Frame(
                offset: offset,
                rect: PixelRect(x: x, y: y, width: width, height: height),
                delay: control.delay,
                disposal: control.disposal,
                transparentIndex: control.transparentIndex,
                isInterlaced: flags & 0x40 != 0
            )
        )
        control = GraphicControl()
        try limits.check(frameCount: frames.count)
        // The colour table, then one byte of code size.
        guard let end = Self.endOfSubBlocks(reader, at: offset + 11 + Self.tableBytes(flags)) else {
            isCutOff = true
            return nil
        }
        wholeFrameCount += 1
        return end
    }

    private static func tableBytes(_ flags: Int) -> Int {
        flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0
    }

    private static func endOfSubBlocks(_ reader: ByteReader, at start: Int) -> Int? {
        var offset = start
        while let length = reader.u8(at: offset) {
            offset += length + 1
            if length == 0 { return offset }
        }
        return nil
    }
}
