import CKFGIF
import KFPixels

/// Decodes the lines of one GIF frame with giflib.
///
/// giflib reads a file from start to end. Here it reads the file's beginning and then the requested
/// frame, so that every frame costs the same.
struct GIFLines {
    let frame: GIFHeader.Frame
    /// Whether lines may be missing at the end.
    let mayEndEarly: Bool

    /// Decodes the lines in file order.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - take: Called for each line with its row, its colour indices (the frame's width) and the
    ///     palette.
    /// - Returns: Whether all lines were present.
    /// - Throws: ``CodecError``.
    func read(
        _ bytes: UnsafeRawBufferPointer,
        _ take: (_ y: Int, _ line: UnsafePointer<UInt8>, _ palette: GIFPalette) -> Void
    ) throws(CodecError) -> Bool {
        var source = GIFSource(bytes: bytes, position: 0)
        return try withUnsafeMutablePointer(to: &source) { source in
            Result { () throws(CodecError) in
                let file = try Self.open(source)
                var code: Int32 = 0
                defer { DGifCloseFile(file, &code) }
                source.pointee.position = frame.offset
                return try read(file, bytes, take)
            }
        }.get()
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

    private func read(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ bytes: UnsafeRawBufferPointer,
        _ take: (Int, UnsafePointer<UInt8>, GIFPalette) -> Void
    ) throws(CodecError) -> Bool {
        var type = UNDEFINED_RECORD_TYPE
        guard DGifGetRecordType(file, &type) == GIF_OK, type == IMAGE_DESC_RECORD_TYPE else {
            throw Self.failure(file.pointee.Error)
        }
        let isOpened = DGifGetImageDesc(file) == GIF_OK
        // giflib reads the description, and then refuses codes that begin with more than 8 bits.
        if !isOpened, var codes = GIFCodes(bytes, of: frame) {
            return try read(&codes, GIFPalette(file, transparent: frame.transparentIndex), take)
        }
        guard isOpened else { throw Self.failure(file.pointee.Error) }
        let palette = GIFPalette(file, transparent: frame.transparentIndex)
        var line = [GifPixelType](repeating: 0, count: frame.rect.width)
        for number in 0..<frame.rect.height {
            guard DGifGetLine(file, &line, Int32(line.count)) == GIF_OK else {
                if mayEndEarly { return false }
                throw Self.failure(file.pointee.Error)
            }
            let y =
                frame.isInterlaced
                ? Self.interlacedRow(number, of: frame.rect.height) : number
            take(y, line, palette)
        }
        return true
    }

    private func read(
        _ codes: inout GIFCodes,
        _ palette: GIFPalette,
        _ take: (Int, UnsafePointer<UInt8>, GIFPalette) -> Void
    ) throws(CodecError) -> Bool {
        var line = [UInt8](repeating: 0, count: frame.rect.width)
        for number in 0..<frame.rect.height {
            guard codes.fill(&line) else {
                if mayEndEarly { return false }
                throw .corrupt(.gif, detail: "invalid codes")
            }
            let height = frame.rect.height
            take(
                frame.isInterlaced ? Self.interlacedRow(number, of: height) : number,
                line,
                palette
            )
        }
        return true
    }

    private static func failure(_ code: Int32) -> CodecError {
        let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
        return .corrupt(.gif, detail: text)
    }

    // Every eighth row from 0, every eighth from 4, every fourth from 2, every second from 1
    // (appendix E).
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

/// The bytes that giflib reads.
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

/// 256 premultiplied colours.
///
/// Indices beyond the file's table are black, as in browsers.
///
/// Without any table the palette is a grey ramp. Section 18 of the specification leaves the choice
/// to the decoder; other libraries choose the same.
struct GIFPalette {
    private var colors = [UInt32](repeating: 0xFF00_0000, count: 256)

    fileprivate init(_ file: UnsafeMutablePointer<GifFileType>, transparent: Int?) {
        let map = file.pointee.Image.ColorMap ?? file.pointee.SColorMap
        if let map, let table = map.pointee.Colors {
            for index in 0..<min(256, Int(map.pointee.ColorCount)) {
                let color = table[index]
                colors[index] =
                    UInt32(color.Red) | UInt32(color.Green) << 8 | UInt32(color.Blue) << 16
                    | 0xFF00_0000
            }
        } else {
            for index in colors.indices { colors[index] = UInt32(index) * 0x01_0101 | 0xFF00_0000 }
        }
        if let transparent { colors[transparent] = 0 }
    }

    /// Writes the colours of `width` indices.
    func paint(
        _ line: UnsafePointer<UInt8>,
        width: Int,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        let target = UnsafeMutableRawPointer(target)
        colors.withUnsafeBufferPointer { colors in
            for x in 0..<width {
                target.storeBytes(
                    of: colors[Int(line[x])].littleEndian,
                    toByteOffset: x * 4,
                    as: UInt32.self
                )
            }
        }
    }
}
