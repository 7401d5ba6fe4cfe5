import CKFDeflate
import FoundationEssentials
import KFPixels

/// Reads the frames of an animated PNG.
///
/// Each frame is passed to libpng as a file of its own: the header with the frame's size, the
/// chunks that concern colour, and the frame's pixels.
///
/// Source: W3C, Portable Network Graphics (Third Edition), sections 4.9 and 11.3.6.
struct APNGReader: FrameReader {
    private struct Frame {
        var descriptor: FrameDescriptor
        /// The ranges of the compressed pixels.
        var pieces: [Range<Int>] = []
    }

    private let data: Data
    private let header: PNGHeader
    private let options: DecodeOptions
    private var parts: [Frame] = []
    /// The chunks that every frame needs.
    private var shared: [Range<Int>] = []
    private(set) var isPartial = false

    /// Finds the frames of a file whose header states an animation.
    ///
    /// In a truncated file, the frames that have begun are kept or rejected according to the
    /// options.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - options: The limits and the treatment of a truncated file.
    ///   - needsFirstOnly: Whether a file that ends after its first frame is complete.
    /// - Throws: ``CodecError``.
    init(
        _ data: Data,
        _ options: DecodeOptions,
        needsFirstOnly: Bool = false
    ) throws(CodecError) {
        self.data = data
        self.options = options
        header = try data.withBytes { bytes throws(CodecError) in try PNGHeader(parsing: bytes) }
        try options.limits.check(header.size, of: .png)
        let isComplete = try data.withBytes { [header] bytes throws(CodecError) in
            try Self.scan(ByteReader(bytes, .big), header, options.limits, &parts, &shared)
        }
        // The second frame's control chunk ends the first frame.
        let isEnough = needsFirstOnly && parts.count > 1 && !parts[0].pieces.isEmpty
        if !isComplete, !isEnough, options.truncation == .fails { throw .truncated(.png) }
        isPartial = !isComplete && options.truncation == .keepsPartial
        parts.removeAll { $0.pieces.isEmpty }
        guard !parts.isEmpty else { throw .corrupt(.png, detail: "an animation without frames") }
    }

    var info: ImageInfo {
        var info = header.info
        info.frameCount = parts.count
        return info
    }
    var canvasSize: PixelSize { header.size }
    var frames: [FrameDescriptor] { parts.map(\.descriptor) }
    var loopCount: Int { header.animation?.loopCount ?? 1 }

    func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool {
        let file = data.withUnsafeBytes { assemble(parts[index], $0) }
        var options = options
        options.target = .full
        options.part = nil
        let bitmap = try file.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in
                try PNGDecoder(bytes: bytes, options: options).decodeStored().bitmap
            }
        }.get()
        surface.copy(bitmap)
        return bitmap.isOpaque
    }

    /// Walks the chunks; returns whether the end was reached.
    private static func scan(
        _ reader: ByteReader,
        _ header: PNGHeader,
        _ limits: DecodeLimits,
        _ frames: inout [Frame],
        _ shared: inout [Range<Int>]
    ) throws(CodecError) -> Bool {
        var offset = PNGHeader.firstChunk
        var hasPixels = false
        var count = 0
        while let length = reader.u32(at: offset), reader.u32(at: offset + 4) != nil {
            if reader.has("IEND", at: offset + 4) { return true }
            count += 1
            try ContainerLimits.check(count, .chunks)
            let body = offset + 8
            let isWhole = reader.slice(at: body, count: length + 4) != nil
            let end = isWhole ? body + length : reader.count
            if reader.has("fcTL", at: offset + 4) {
                guard isWhole else { return false }
                frames.append(Frame(descriptor: try descriptor(reader, at: body, header)))
                try limits.check(frameCount: frames.count)
            } else if reader.has("IDAT", at: offset + 4) {
                hasPixels = true
                // Without a preceding control chunk, this is only the default image, for viewers
                // without animation.
                if frames.count == 1 { frames[0].pieces.append(body..<end) }
            } else if reader.has("fdAT", at: offset + 4), length >= 4, !frames.isEmpty,
                end > body + 4
            {
                // The body begins with four bytes of sequence number.
                frames[frames.count - 1].pieces.append(body + 4..<end)
            } else if !hasPixels, isWhole, isShared(reader, at: offset + 4) {
                shared.append(offset..<body + length + 4)
            }
            guard isWhole else { return false }
            offset = body + length + 4
        }
        return false
    }

    private static func isShared(_ reader: ByteReader, at offset: Int) -> Bool {
        ["PLTE", "tRNS", "gAMA", "sRGB", "iCCP", "cHRM", "cICP", "sBIT"]
            .contains { reader.has($0, at: offset) }
    }

    private static func descriptor(
        _ reader: ByteReader,
        at body: Int,
        _ header: PNGHeader
    ) throws(CodecError) -> FrameDescriptor {
        guard let width = reader.u32(at: body + 4), let height = reader.u32(at: body + 8),
            let x = reader.u32(at: body + 12), let y = reader.u32(at: body + 16),
            let numerator = reader.u16(at: body + 20), let denominator = reader.u16(at: body + 22),
            let disposal = reader.u8(at: body + 24), let blend = reader.u8(at: body + 25)
        else { throw .corrupt(.png, detail: "a short frame header") }
        let rect = PixelRect(x: x, y: y, width: width, height: height)
        guard !rect.isEmpty, rect.intersection(PixelRect(size: header.size)) == rect else {
            throw .corrupt(.png, detail: "a frame outside the canvas")
        }
        // 0 stands for 100.
        let unit = denominator == 0 ? 100 : denominator
        return FrameDescriptor(
            rect: rect,
            delay: FrameDescriptor.playedDelay(Double(numerator) / Double(unit)),
            disposal: disposal == 1 ? .clear : disposal == 2 ? .restore : .keep,
            replaces: blend == 0
        )
    }

    private func assemble(_ frame: Frame, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // Signature and length of the header, then the header with the frame's size.
        var file = Array(bytes[..<12])
        var body = Array("IHDR".utf8)
        Self.append(number: frame.descriptor.rect.width, to: &body)
        Self.append(number: frame.descriptor.rect.height, to: &body)
        body += bytes[24..<29]
        file += body
        Self.append(checksumOf: body, to: &file)
        for range in shared { file += bytes[range] }
        for range in frame.pieces {
            body = Array("IDAT".utf8) + bytes[range]
            Self.append(number: range.count, to: &file)
            file += body
            Self.append(checksumOf: body, to: &file)
        }
        file += [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        return file
    }

    private static func append(number: Int, to file: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { file.append(UInt8(number >> shift & 0xFF)) }
    }

    private static func append(checksumOf bytes: [UInt8], to file: inout [UInt8]) {
        append(number: Int(libdeflate_crc32(0, bytes, bytes.count)), to: &file)
    }
}
