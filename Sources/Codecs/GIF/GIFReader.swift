import CGIF
import FoundationEssentials
import Pixels

/// Decodes the frames of a GIF through giflib, line by line.
///
/// giflib reads a file from its start to its end. Here its reader is given the file's beginning and
/// then the frame that is wanted, so that any frame costs the same.
struct GIFReader: FrameReader {
    private let data: Data
    private let header: GIFHeader
    private let options: DecodeOptions
    let frames: [FrameDescriptor]

    /// Finds the frames, and checks all sizes because giflib has no limits.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        self.data = data
        header = try data.withBytes { bytes throws(CodecError) in
            try GIFHeader(parsing: bytes, limits: options.limits)
        }
        self.options = options
        if header.isCutOff, options.truncation == .fails { throw .truncated(.gif) }
        guard !header.frames.isEmpty else {
            throw header.isCutOff ? .truncated(.gif) : .corrupt(.gif, detail: "no frame")
        }
        try options.limits.check(header.size, of: .gif)
        let screen = PixelRect(size: header.size)
        var descriptors: [FrameDescriptor] = []
        for frame in header.frames {
            if !frame.rect.isEmpty { try options.limits.check(frame.rect.size, of: .gif) }
            descriptors.append(
                FrameDescriptor(
                    rect: frame.rect.intersection(screen),
                    delay: frame.delay,
                    disposal: frame.disposal
                )
            )
        }
        frames = descriptors
    }

    var canvasSize: PixelSize { header.size }
    var loopCount: Int { header.loopCount }
    var isPartial: Bool { header.isCutOff }

    var info: ImageInfo {
        var info = header.info
        info.frameCount = frames.count
        return info
    }

    func decodeFrame(at index: Int) throws(CodecError) -> Bitmap {
        let frame = header.frames[index]
        let isLast = index == frames.count - 1
        return try data.withBytes { bytes throws(CodecError) in
            var source = GIFSource(bytes: bytes, position: 0)
            return try withUnsafeMutablePointer(to: &source) { source in
                Result { () throws(CodecError) in
                    let file = try Self.open(source)
                    var code: Int32 = 0
                    defer { DGifCloseFile(file, &code) }
                    source.pointee.position = frame.offset
                    return try draw(
                        file,
                        frame,
                        clip: frames[index].rect,
                        mayEndEarly: isLast && header.isCutOff
                    )
                }
            }.get()
        }
    }

    /// Decodes what the animation shows first.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        try Codecs.decodeFirstFrame(self, isPartial: isPartial, options)
    }

    private static func open(
        _ source: UnsafeMutablePointer<GIFSource>
    ) throws(CodecError) -> UnsafeMutablePointer<GifFileType> {
        var code: Int32 = 0
        guard let file = DGifOpen(source, GIFSource.read, &code) else {
            throw failure(code)
        }
        return file
    }

    private static func failure(_ code: Int32) -> CodecError {
        let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
        return .corrupt(.gif, detail: text)
    }

    private func draw(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ frame: GIFHeader.Frame,
        clip: PixelRect,
        mayEndEarly: Bool
    ) throws(CodecError) -> Bitmap {
        var type = UNDEFINED_RECORD_TYPE
        guard DGifGetRecordType(file, &type) == GIF_OK, type == IMAGE_DESC_RECORD_TYPE,
            DGifGetImageDesc(file) == GIF_OK
        else { throw Self.failure(file.pointee.Error) }
        let palette = GIFPalette(file, transparent: frame.transparentIndex)
        guard let palette else { throw .corrupt(.gif, detail: "no colour table") }
        let storage = try CodecError.wrapping { () throws(PixelError) in
            try Bitmap.allocate(clip.size)
        }
        var line = [GifPixelType](repeating: 0, count: frame.rect.width)
        let bytesPerRow = clip.width * Bitmap.bytesPerPixel
        for number in 0..<frame.rect.height {
            guard DGifGetLine(file, &line, Int32(line.count)) == GIF_OK else {
                if mayEndEarly { break }
                throw Self.failure(file.pointee.Error)
            }
            let y =
                frame.isInterlaced
                ? Self.interlacedRow(number, of: frame.rect.height) : number
            guard y + frame.rect.y < clip.y + clip.height else { continue }
            palette.paint(
                line,
                width: clip.width,
                to: storage.base + (y + frame.rect.y - clip.y) * bytesPerRow
            )
        }
        return Bitmap(
            size: clip.size,
            bytesPerRow: bytesPerRow,
            isOpaque: frame.transparentIndex == nil && !mayEndEarly,
            storage: storage
        )
    }

    // Every eighth row from 0, from 4, every fourth from 2, every second from 1 (appendix E).
    private static func interlacedRow(_ number: Int, of height: Int) -> Int {
        var left = number
        for (start, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
            let count = (height - start + step - 1) / step
            if left < count { return start + left * step }
            left -= max(0, count)
        }
        return height - 1
    }
}

/// What giflib reads from.
private struct GIFSource {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    static let read: InputFunc = { file, target, count in
        guard let target, let source = file?.pointee.UserData?.assumingMemoryBound(to: Self.self)
        else { return 0 }
        let left = source.pointee.bytes.count - source.pointee.position
        let length = max(0, min(Int(count), left))
        guard length > 0, let base = source.pointee.bytes.baseAddress else { return 0 }
        UnsafeMutableRawPointer(target).copyMemory(
            from: base + source.pointee.position,
            byteCount: length
        )
        source.pointee.position += length
        return Int32(length)
    }
}

/// 256 premultiplied colours; indices beyond the file's table are black, as in browsers.
private struct GIFPalette {
    private var colors = [UInt32](repeating: 0xFF00_0000, count: 256)

    init?(_ file: UnsafeMutablePointer<GifFileType>, transparent: Int?) {
        guard let map = file.pointee.Image.ColorMap ?? file.pointee.SColorMap,
            let table = map.pointee.Colors
        else { return nil }
        for index in 0..<min(256, Int(map.pointee.ColorCount)) {
            let color = table[index]
            colors[index] =
                UInt32(color.Red) | UInt32(color.Green) << 8 | UInt32(color.Blue) << 16
                | 0xFF00_0000
        }
        if let transparent { colors[transparent] = 0 }
    }

    func paint(_ line: [GifPixelType], width: Int, to target: UnsafeMutableRawPointer) {
        line.withUnsafeBufferPointer { line in
            colors.withUnsafeBufferPointer { colors in
                for x in 0..<min(width, line.count) {
                    target.storeBytes(
                        of: colors[Int(line[x])].littleEndian,
                        toByteOffset: x * 4,
                        as: UInt32.self
                    )
                }
            }
        }
    }
}
