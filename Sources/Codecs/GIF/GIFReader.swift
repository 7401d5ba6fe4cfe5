import FoundationEssentials
import Pixels

/// The frames of a GIF.
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
        for (index, frame) in header.frames.enumerated() {
            let isWhole = !header.isCutOff || index < header.frames.count - 1
            if !frame.rect.isEmpty { try options.limits.check(frame.rect.size, of: .gif) }
            descriptors.append(
                FrameDescriptor(
                    rect: frame.rect.intersection(screen),
                    delay: frame.delay,
                    disposal: frame.disposal,
                    isOpaque: frame.transparentIndex == nil && isWhole
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

    /// Decodes what the animation shows first.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        try Codecs.decodeFirstFrame(self, isPartial: isPartial, options)
    }

    private func mayEndEarly(_ index: Int) -> Bool {
        header.isCutOff && index == frames.count - 1
    }

    private func readLines(
        ofFrame index: Int,
        _ take: (Int, UnsafePointer<UInt8>, GIFPalette) -> Void
    ) throws(CodecError) -> Bool {
        let lines = GIFLines(frame: header.frames[index], mayEndEarly: mayEndEarly(index))
        return try data.withBytes { bytes throws(CodecError) in try lines.read(bytes, take) }
    }
}
