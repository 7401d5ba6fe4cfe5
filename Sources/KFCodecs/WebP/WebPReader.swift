import FoundationEssentials
import KFPixels

/// Reads the frames of an animated WebP; a still has one.
struct WebPReader: FrameReader {
    private let data: Data
    private let header: WebPHeader
    private let options: DecodeOptions
    private let profile: ColorProfile?
    let info: ImageInfo
    let frames: [FrameDescriptor]

    /// Finds the frames.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - options: The target, the limits and the treatment of a truncated file.
    ///   - needsFirstOnly: Whether an animation that ends after its first frame is complete.
    /// - Throws: ``CodecError``.
    init(
        _ data: Data,
        _ options: DecodeOptions,
        needsFirstOnly: Bool = false
    ) throws(CodecError) {
        self.data = data
        self.options = options
        header = try data.withBytes { bytes throws(CodecError) in
            try WebPHeader(parsing: bytes, limits: options.limits)
        }
        try options.limits.check(header.size, of: .webp)
        let isEnough = needsFirstOnly && header.wholeFrameCount > 0 && !header.needsMore
        if header.isCutOff, !isEnough, options.truncation == .fails { throw .truncated(.webp) }
        let range = header.profile
        profile = data.withUnsafeBytes { bytes in
            range.flatMap { ColorProfile(UnsafeRawBufferPointer(rebasing: bytes[$0])) }
        }
        let limits = options.limits
        frames = try data.withBytes { [header] bytes throws(CodecError) in
            try Self.descriptors(header, bytes, limits)
        }
        var info = header.info
        info.frameCount = frames.count
        self.info = info
    }

    private static func descriptors(
        _ header: WebPHeader,
        _ bytes: UnsafeRawBufferPointer,
        _ limits: DecodeLimits
    ) throws(CodecError) -> [FrameDescriptor] {
        let canvas = PixelRect(size: header.size)
        guard header.isAnimated else { return [FrameDescriptor(rect: canvas, delay: 0)] }
        guard !header.frames.isEmpty else {
            throw header.isCutOff ? .truncated(.webp) : .corrupt(.webp, detail: "no frame")
        }
        var descriptors: [FrameDescriptor] = []
        for frame in header.frames {
            // The format forbids this, and the library's own players reject it.
            guard frame.rect.intersection(canvas) == frame.rect else {
                throw .corrupt(.webp, detail: "a frame outside the canvas")
            }
            descriptors.append(
                FrameDescriptor(
                    rect: frame.rect,
                    delay: FrameDescriptor.playedDelay(Double(frame.duration) / 1000),
                    disposal: frame.clears ? .clear : .keep,
                    replaces: frame.replaces,
                    isOpaque: !header.isCutOff
                        && decoder(bytes, frame.payload, limits).isOpaque
                )
            )
        }
        return descriptors
    }

    var canvasSize: PixelSize { header.size }
    var loopCount: Int { header.isAnimated ? header.loopCount : 1 }
    var isPartial: Bool { header.isCutOff && options.truncation == .keepsPartial }

    func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool {
        let payload = header.isAnimated ? header.frames[index].payload : nil
        let isOpaque = try data.withBytes { bytes throws(CodecError) in
            try Self.decoder(bytes, payload, options.limits)
                .decode(into: surface, keepsPartial: self.isPartial)
        }
        profile?.convert(surface, isOpaque: isOpaque)
        return isOpaque
    }

    /// Decodes the first frame straight to the target size.
    func decodeFirst() throws(CodecError) -> DecodedImage {
        if header.isAnimated {
            return try decodeFirstFrame(isPartial: isPartial, options)
        }
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        let (bitmap, isPartial) = try data.withBytes { bytes throws(CodecError) in
            try Self.decoder(bytes, nil, options.limits)
                .decode(target: target, margin: options.margin, keepsPartial: self.isPartial)
        }
        profile?.convert(bitmap)
        return try .upright(bitmap, info, isPartial: isPartial)
    }

    private static func decoder(
        _ bytes: UnsafeRawBufferPointer,
        _ payload: Range<Int>?,
        _ limits: DecodeLimits
    ) -> WebPDecoder {
        let part = payload.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        return WebPDecoder(bytes: part ?? bytes, limits: limits)
    }
}
