import CGIF
import FoundationEssentials
import Pixels

/// Encodes stills and animations as GIF, each frame with its own palette.
struct GIFEncoder {
    /// The size of every frame in pixels.
    let size: PixelSize
    let frameCount: Int
    /// 0 means forever.
    let loopCount: Int

    /// The longest side that the format can store.
    private static let maxSide = 65_535

    /// Encodes the file.
    ///
    /// Calls `frame` for each index in order.
    ///
    /// - Throws: ``CodecError/encodingFailed(_:detail:)``, ``CodecError/pixels(_:)``, and the error
    ///   of `frame`.
    func encode(
        _ frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> Data {
        guard frameCount > 0, size.longestSide <= Self.maxSide else {
            throw .encodingFailed(
                .gif,
                detail: "no frames, or a side beyond \(Self.maxSide) pixels"
            )
        }
        var sink = GIFSink()
        try withUnsafeMutablePointer(to: &sink) { sink in
            Result { () throws(CodecError) in
                var code: Int32 = 0
                guard let file = EGifOpen(sink, GIFSink.write, &code) else {
                    throw Self.failure(code)
                }
                defer { EGifCloseFile(file, &code) }
                try write(file, frame)
            }
        }.get()
        return sink.data
    }

    private func write(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) {
        EGifSetGifVersion(file, true)
        try Self.check(EGifPutScreenDesc(file, Int32(size.width), Int32(size.height), 8, 0, nil))
        if frameCount > 1, loopCount != 1 { try writeLoop(file) }
        for index in 0..<frameCount {
            let frame = try frame(index)
            let colors = try IndexedPixels(
                reducing: frame.bitmap,
                to: 256,
                keepsPartialAlpha: false
            )
            try writeControl(file, frame, colors)
            try writeImage(file, colors)
        }
    }

    private func writeLoop(_ file: UnsafeMutablePointer<GifFileType>) throws(CodecError) {
        // The file stores the number of repetitions, which is one less than the number of plays.
        let repetitions = loopCount <= 0 ? 0 : min(loopCount - 1, 65_535)
        let name = Array("NETSCAPE2.0".utf8)
        let body: [UInt8] = [1, UInt8(repetitions & 0xFF), UInt8(repetitions >> 8)]
        try Self.check(EGifPutExtensionLeader(file, Int32(APPLICATION_EXT_FUNC_CODE)))
        try Self.check(EGifPutExtensionBlock(file, Int32(name.count), name))
        try Self.check(EGifPutExtensionBlock(file, Int32(body.count), body))
        try Self.check(EGifPutExtensionTrailer(file))
    }

    private func writeControl(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ frame: AnimationFrame,
        _ colors: IndexedPixels
    ) throws(CodecError) {
        let hundredths = UInt16(max(0, min(65_535, (frame.delay * 100).rounded())))
        // A frame with transparency is cleared before the next one, which covers the whole canvas.
        let transparentIndex = colors.transparentIndex
        let disposal: UInt8 = transparentIndex == nil ? 1 : 2
        let body: [UInt8] = [
            disposal << 2 | (transparentIndex == nil ? 0 : 1),
            UInt8(hundredths & 0xFF),
            UInt8(hundredths >> 8),
            UInt8(transparentIndex ?? 0),
        ]
        try Self.check(
            EGifPutExtension(file, Int32(GRAPHICS_EXT_FUNC_CODE), Int32(body.count), body)
        )
    }

    private func writeImage(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ colors: IndexedPixels
    ) throws(CodecError) {
        var table = [GifColorType](repeating: GifColorType(), count: 256)
        for (index, color) in colors.palette.enumerated() {
            table[index] = GifColorType(Red: color.red, Green: color.green, Blue: color.blue)
        }
        // The format stores a power of two.
        var count = 2
        while count < colors.palette.count { count *= 2 }
        guard let map = GifMakeMapObject(Int32(count), table) else {
            throw .encodingFailed(.gif, detail: "no memory")
        }
        defer { GifFreeMapObject(map) }
        let (width, height) = (Int32(size.width), Int32(size.height))
        try Self.check(EGifPutImageDesc(file, 0, 0, width, height, false, map))
        var line = [GifPixelType](repeating: 0, count: size.width)
        for y in 0..<size.height {
            let row = colors.row(y)
            for x in 0..<size.width { line[x] = row[x] }
            try Self.check(EGifPutLine(file, &line, width))
        }
    }

    private static func check(_ status: Int32) throws(CodecError) {
        guard status == GIF_OK else { throw .encodingFailed(.gif, detail: "giflib failed") }
    }

    private static func failure(_ code: Int32) -> CodecError {
        let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
        return .encodingFailed(.gif, detail: text)
    }
}

/// Collects giflib's output.
private struct GIFSink {
    var data = Data()

    static let write: OutputFunc = { file, bytes, count in
        guard let bytes, let sink = file?.pointee.UserData?.assumingMemoryBound(to: Self.self)
        else { return 0 }
        sink.pointee.data.append(bytes, count: Int(count))
        return count
    }
}
