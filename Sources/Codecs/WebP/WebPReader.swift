import FoundationEssentials
import Pixels

/// The frames of an animated WebP; a still has one.
struct WebPReader: FrameReader {
    private let data: Data
    private let header: WebPHeader
    private let options: DecodeOptions
    private let profile: ColorProfile?
    let info: ImageInfo
    let frames: [FrameDescriptor]

    /// Finds the frames.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        self.data = data
        self.options = options
        header = try data.withBytes { bytes throws(CodecError) in
            try WebPHeader(parsing: bytes, limits: options.limits)
        }
        try options.limits.check(header.size, of: .webp)
        if header.isCutOff, options.truncation == .fails { throw .truncated(.webp) }
        let range = header.profile
        profile = data.withUnsafeBytes { bytes in
            range.flatMap { ColorProfile(UnsafeRawBufferPointer(rebasing: bytes[$0])) }
        }
        frames = try Self.descriptors(header)
        var info = header.info
        info.frameCount = frames.count
        self.info = info
    }

    private static func descriptors(
        _ header: WebPHeader
    ) throws(CodecError) -> [FrameDescriptor] {
        let canvas = PixelRect(size: header.size)
        guard header.isAnimated else { return [FrameDescriptor(rect: canvas, delay: 0)] }
        guard !header.frames.isEmpty else {
            throw header.isCutOff ? .truncated(.webp) : .corrupt(.webp, detail: "no frame")
        }
        var descriptors: [FrameDescriptor] = []
        for frame in header.frames {
            // The format forbids it, and the library's own players refuse it.
            guard frame.rect.intersection(canvas) == frame.rect else {
                throw .corrupt(.webp, detail: "a frame outside the canvas")
            }
            descriptors.append(
                FrameDescriptor(
                    rect: frame.rect,
                    delay: FrameDescriptor.playedDelay(Double(frame.duration) / 1000),
                    disposal: frame.clears ? .clear : .keep,
                    replaces: frame.replaces
                )
            )
        }
        return descriptors
    }

    var canvasSize: PixelSize { header.size }
    var loopCount: Int { header.isAnimated ? header.loopCount : 1 }
    var isPartial: Bool { header.isCutOff }

    func decodeFrame(at index: Int) throws(CodecError) -> Bitmap {
        let frame = header.isAnimated ? header.frames[index] : nil
        let bitmap = try decode(frame?.payload, target: nil).bitmap
        guard bitmap.size == frames[index].rect.size else {
            throw .corrupt(.webp, detail: "a frame of another size than it says")
        }
        return bitmap
    }

    /// Decodes the first picture straight to the target.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        if header.isAnimated {
            return try Codecs.decodeFirstFrame(self, isPartial: isPartial, options)
        }
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        let (bitmap, isPartial) = try decode(nil, target: target)
        return try .upright(bitmap, info, isPartial: isPartial)
    }

    private func decode(
        _ payload: Range<Int>?,
        target: PixelSize?
    ) throws(CodecError) -> (bitmap: Bitmap, isPartial: Bool) {
        let keepsPartial = options.truncation == .keepsPartial && header.isCutOff
        let result = try data.withBytes { bytes throws(CodecError) in
            let part = payload.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? bytes
            let decoder = WebPDecoder(bytes: part, limits: options.limits)
            return try decoder.decode(target: target, keepsPartial: keepsPartial)
        }
        profile?.convert(result.bitmap)
        return result
    }
}
