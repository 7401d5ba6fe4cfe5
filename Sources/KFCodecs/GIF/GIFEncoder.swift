import CKFGIF
import FoundationEssentials
import KFPixels

/// Encodes stills and animations as GIF.
///
/// A frame is stored as its difference from the frame before, with a palette of its own unless that
/// of the file has all its colours. Holds up to five frames.
struct GIFEncoder {
    /// The size of every frame in pixels.
    let size: PixelSize
    let frameCount: Int
    /// 0 means forever.
    let loopCount: Int
    let options: EncodeOptions
    /// Whether an animation's palette has the colours of all frames instead of those of the first.
    ///
    /// Frames are then asked for twice.
    var collectsColors = false

    /// The longest side that the format can store.
    private static let maxSide = 65_535

    /// Encodes the file.
    ///
    /// Calls `frame` for each index in order, or does so twice.
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
        var clock = GIFClock()
        var shared = collectsColors && frameCount > 1 ? try colors(of: frame) : nil
        try forEachChange(of: frame) { index, delay, change throws(CodecError) in
            let image = try GIFImage(change, sharing: shared, isStill: frameCount == 1)
            if index == 0 {
                shared = ColorTable(image.pixels.palette.map(\.pixel))
                try writeStart(file, image.pixels.palette)
            }
            try writeControl(file, image, hundredths: clock.hundredths(of: delay))
            try writeImage(file, image)
        }
    }

    private func forEachChange(
        of frame: (Int) throws(CodecError) -> AnimationFrame,
        _ body: (Int, _ delay: Double, GIFCanvas.Change) throws(CodecError) -> Void
    ) throws(CodecError) {
        func thresholdedFrame(_ index: Int) throws(CodecError) -> AnimationFrame {
            var frame = try frame(index)
            frame.bitmap = try frame.bitmap.thresholded()
            return frame
        }
        var canvas = GIFCanvas()
        var current = try thresholdedFrame(0)
        for index in 0..<frameCount {
            let next = index + 1 < frameCount ? try thresholdedFrame(index + 1) : nil
            let change = try canvas.show(current.bitmap, before: next?.bitmap)
            try body(index, current.delay, change)
            if let next { current = next }
        }
    }

    /// The transparent colour and those of all frames, the ones that the most changes need first,
    /// since low indices take few bits; nil if they are more than 256.
    private func colors(
        of frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> ColorTable? {
        var colors: [UInt32] = [0]
        var changeCounts: [UInt32: Int] = [0: frameCount]
        var fits = true
        try forEachChange(of: frame) { index, _, change throws(CodecError) in
            guard fits else { return }
            guard let table = ColorTable(of: try change.changedPixels(), atMost: 256) else {
                fits = false
                return
            }
            for color in table.colors {
                if changeCounts[color] == nil { colors.append(color) }
                changeCounts[color, default: 0] += index == 0 ? 0 : 1
            }
            fits = colors.count <= 256
        }
        guard fits else { return nil }
        let order = colors.enumerated().sorted { one, other in
            let (more, fewer) = (changeCounts[one.element] ?? 0, changeCounts[other.element] ?? 0)
            return more == fewer ? one.offset < other.offset : more > fewer
        }
        return ColorTable(order.map(\.element))
    }

    private func writeStart(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ palette: [RGBA]
    ) throws(CodecError) {
        EGifSetGifVersion(file, true)
        try Self.withTable(palette) { table throws(CodecError) in
            let (width, height) = (Int32(size.width), Int32(size.height))
            try Self.check(EGifPutScreenDesc(file, width, height, 8, 0, table))
        }
        if frameCount > 1, loopCount != 1 { try writeLoop(file) }
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
        _ image: GIFImage,
        hundredths: Int
    ) throws(CodecError) {
        // 2 restores the background, which is transparent; 1 keeps the frame.
        let disposal: UInt8 = image.isCleared ? 2 : 1
        let body: [UInt8] = [
            disposal << 2 | (image.transparentIndex == nil ? 0 : 1),
            UInt8(hundredths & 0xFF),
            UInt8(hundredths >> 8),
            UInt8(image.transparentIndex ?? 0),
        ]
        try Self.check(
            EGifPutExtension(file, Int32(GRAPHICS_EXT_FUNC_CODE), Int32(body.count), body)
        )
    }

    private func writeImage(
        _ file: UnsafeMutablePointer<GifFileType>,
        _ image: GIFImage
    ) throws(CodecError) {
        let (x, y) = (Int32(image.rect.x), Int32(image.rect.y))
        let (width, height) = (Int32(image.rect.width), Int32(image.rect.height))
        let bits = image.indexBits
        if image.sharesPalette {
            // giflib leaks its copy of the last image's table if this one has none.
            GifFreeMapObject(file.pointee.Image.ColorMap)
            file.pointee.Image.ColorMap = nil
            // giflib writes this as the number with which the codes begin.
            file.pointee.SColorMap.pointee.BitsPerPixel = Int32(bits)
            try Self.check(EGifPutImageDesc(file, x, y, width, height, false, nil))
        } else {
            try Self.withTable(image.pixels.palette) { table throws(CodecError) in
                try Self.check(EGifPutImageDesc(file, x, y, width, height, false, table))
            }
        }
        let codes = try GIFCompressor.codes(of: image, bits: bits, check: options.check)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            try Self.check(EGifPutCode(file, 0, [UInt8(block.count)] + block))
        }
        // No block ends the image.
        try Self.check(EGifPutCode(file, 0, nil))
    }

    private static func withTable(
        _ palette: [RGBA],
        _ body: (UnsafeMutablePointer<ColorMapObject>) throws(CodecError) -> Void
    ) throws(CodecError) {
        var colors = [GifColorType](repeating: GifColorType(), count: 256)
        for (index, color) in palette.enumerated() {
            colors[index] = GifColorType(Red: color.red, Green: color.green, Blue: color.blue)
        }
        // The format stores a power of two.
        var count = 2
        while count < palette.count { count *= 2 }
        guard let table = GifMakeMapObject(Int32(count), colors) else {
            throw .encodingFailed(.gif, detail: "no memory")
        }
        defer { GifFreeMapObject(table) }
        try body(table)
    }

    private static func check(_ status: Int32) throws(CodecError) {
        guard status == GIF_OK else { throw .encodingFailed(.gif, detail: "giflib failed") }
    }

    private static func failure(_ code: Int32) -> CodecError {
        let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
        return .encodingFailed(.gif, detail: text)
    }
}

/// Rounds delays to hundredths of a second so that their sum stays.
private struct GIFClock {
    /// The part of a hundredth that the frames so far are shown too briefly; negative if too long.
    private var missing = 0.0

    /// The number that is written for a delay in seconds.
    mutating func hundredths(of delay: Double) -> Int {
        let exact = min(max(0, delay * 100), 65_535)
        // Players show 1 as 10; see ``FrameDescriptor/playedDelay(_:)``.
        let least = FrameDescriptor.playedDelay(delay) == delay ? 2.0 : 0
        let written = min(max(least, (exact + missing).rounded()), 65_535)
        missing = min(max(-2, missing + exact - written), 0.5)
        return Int(written)
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
