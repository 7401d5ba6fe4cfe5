import FoundationEssentials
import KFPixels

/// Reads the frames of a GIF.
///
/// Decoding straight to a size holds a few rows, and for an interlaced frame one byte per pixel.
struct GIFReader: FrameReader {
    private let data: Data
    private let header: GIFHeader
    private let options: DecodeOptions
    let frames: [FrameDescriptor]

    /// Finds the frames and checks all sizes, because giflib has no limits.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - options: The target, the limits and the treatment of a truncated file.
    ///   - needsFirstOnly: Whether a file that ends after its first frame is complete.
    /// - Throws: ``CodecError``.
    init(
        _ data: Data,
        _ options: DecodeOptions,
        needsFirstOnly: Bool = false
    ) throws(CodecError) {
        self.data = data
        header = try data.withBytes { bytes throws(CodecError) in
            try GIFHeader(parsing: bytes, limits: options.limits)
        }
        self.options = options
        let isEnough = needsFirstOnly && header.wholeFrameCount > 0
        if header.isCutOff, !isEnough, options.truncation == .fails { throw .truncated(.gif) }
        guard !header.frames.isEmpty else {
            throw header.isCutOff ? .truncated(.gif) : .corrupt(.gif, detail: "no frame")
        }
        let target = ShrinkOnLoad.storedTarget(of: header.info, options.target)
        try options.limits.check(header.size, of: .gif, reducedTo: target)
        let screen = PixelRect(size: header.size)
        var descriptors: [FrameDescriptor] = []
        for (index, frame) in header.frames.enumerated() {
            let isWhole = index < header.wholeFrameCount
            let size = frame.rect.size
            if !size.isEmpty {
                let reduced = target == header.size ? size : target
                try options.limits.check(size, of: .gif, reducedTo: reduced)
            }
            descriptors.append(
                FrameDescriptor(
                    rect: frame.rect.intersection(screen),
                    delay: FrameDescriptor.playedDelay(frame.delay),
                    disposal: frame.disposal,
                    isOpaque: frame.transparentIndex == nil && isWhole
                )
            )
        }
        frames = descriptors
    }

    var canvasSize: PixelSize { header.size }
    var loopCount: Int { header.loopCount }
    var isPartial: Bool { header.isCutOff && options.truncation == .keepsPartial }

    var info: ImageInfo {
        var info = header.info
        info.frameCount = frames.count
        return info
    }

    func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool {
        if mayEndEarly(index) { surface.clear() }
        let isWhole = try readLines(ofFrame: index) { y, line, palette in
            guard y < surface.size.height else { return }
            palette.paint(line, width: surface.size.width, to: surface.row(y))
        }
        return isWhole && header.frames[index].transparentIndex == nil
    }

    /// Decodes the canvas as it looks during the first frame, straight to the target size.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        let isWhole = frames[0].rect.size == canvasSize
        let sink = try RowSink(
            source: canvasSize,
            target: target,
            isOpaque: isWhole && frames[0].isOpaque
        )
        if header.frames[0].isInterlaced {
            try fillInterlaced(sink)
        } else {
            try fill(sink)
        }
        return try .upright(sink.finish(), info, isPartial: isPartial)
    }

    private func fill(_ sink: RowSink) throws(CodecError) {
        let rect = frames[0].rect
        guard !rect.isEmpty else { return sink.commitBlank(sink.source.height) }
        sink.commitBlank(rect.y)
        var count = 0
        _ = try readLines(ofFrame: 0) { y, line, palette in
            guard y < rect.height else { return }
            Self.push(line, rect, palette, to: sink)
            count += 1
        }
        sink.commitBlank(sink.source.height - rect.y - count)
    }

    /// Holds the indices of all pixels until they can be emitted in order: a quarter of the
    /// bitmap's memory.
    private func fillInterlaced(_ sink: RowSink) throws(CodecError) {
        let rect = frames[0].rect
        guard !rect.isEmpty else { return sink.commitBlank(sink.source.height) }
        let byteCount = rect.size.byteCount(bytesPerPixel: 1)
        try options.limits.check(workingBytes: byteCount)
        let storage = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: byteCount)
        }
        let indices = storage.base.assumingMemoryBound(to: UInt8.self)
        var isThere = [Bool](repeating: false, count: rect.height)
        var colors: GIFPalette?
        _ = try readLines(ofFrame: 0) { y, line, palette in
            guard y < rect.height else { return }
            (indices + y * rect.width).update(from: line, count: rect.width)
            isThere[y] = true
            colors = palette
        }
        sink.commitBlank(rect.y)
        for y in 0..<rect.height {
            if isThere[y], let colors {
                Self.push(indices + y * rect.width, rect, colors, to: sink)
            } else {
                sink.commitBlank(1)
            }
        }
        sink.commitBlank(sink.source.height - rect.y - rect.height)
    }

    private static func push(
        _ line: UnsafePointer<UInt8>,
        _ rect: PixelRect,
        _ palette: GIFPalette,
        to sink: RowSink
    ) {
        // Pixels beside the frame stay transparent in every row.
        let row = sink.nextRow + rect.x * Bitmap.bytesPerPixel
        palette.paint(line, width: rect.width, to: row)
        sink.commit()
    }

    private func mayEndEarly(_ index: Int) -> Bool { index >= header.wholeFrameCount }

    private func readLines(
        ofFrame index: Int,
        _ take: (Int, UnsafePointer<UInt8>, GIFPalette) -> Void
    ) throws(CodecError) -> Bool {
        let lines = GIFLines(frame: header.frames[index], mayEndEarly: mayEndEarly(index))
        return try data.withBytes { bytes throws(CodecError) in try lines.read(bytes, take) }
    }
}
