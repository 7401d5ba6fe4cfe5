import FoundationEssentials
import KFPixels

/// Reads the frames of a JPEG XL animation.
///
/// libjxl composites the frames itself, so each covers the whole canvas. It decodes forwards: going
/// back replays from the last frame that does not depend on earlier ones.
struct JXLReader: FrameReader {
    /// A copy at a stable address, because the library keeps a pointer to it.
    private let bytes: PixelStorage
    private let picture: OptionalPicture
    private let profile: ColorProfile?
    private let keepsPartial: Bool
    let info: ImageInfo
    let frames: [FrameDescriptor]

    /// Finds the frames.
    ///
    /// Returns nil for a still.
    ///
    /// - Throws: ``CodecError``.
    init?(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        let isAnimated = try data.withBytes { bytes throws(CodecError) in
            try OptionalPicture(bytes, options.limits).animation != nil
        }
        guard isAnimated else { return nil }
        let bytes = try data.withBytes { bytes throws(CodecError) in try Self.copy(bytes) }
        let picture = try OptionalPicture(
            UnsafeRawBufferPointer(start: bytes.base, count: bytes.byteCount),
            options.limits
        )
        guard let animation = picture.animation else { return nil }
        // Checked before the frames are counted: a file truncated in its first frame is not a
        // still.
        if animation.isCutOff, options.truncation == .fails { throw .truncated(.jxl) }
        guard animation.delays.count > 1 else { return nil }
        var info = picture.info
        try options.limits.check(info.storedSize, of: .jxl)
        try options.limits.check(workingBytes: picture.workingBytes(for: info.storedSize))
        info.frameCount = animation.delays.count
        frames = animation.delays.map { [info] delay in
            FrameDescriptor(
                rect: PixelRect(size: info.storedSize),
                delay: FrameDescriptor.playedDelay(delay),
                replaces: true
            )
        }
        self.bytes = bytes
        self.picture = picture
        self.info = info
        profile = picture.makeProfile()
        keepsPartial = options.truncation == .keepsPartial
    }

    private static func copy(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> PixelStorage {
        let copy = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: bytes.count)
        }
        if let base = bytes.baseAddress {
            copy.base.copyMemory(from: base, byteCount: bytes.count)
        }
        return copy
    }

    var canvasSize: PixelSize { info.storedSize }
    var loopCount: Int { info.loopCount ?? 0 }

    func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool {
        if keepsPartial { surface.clear() }
        // The pixels of the last frame may be missing although its header is present.
        let isPartial = try picture.readFrame(at: index, into: surface)
        guard !isPartial || keepsPartial else { throw .truncated(.jxl) }
        guard info.hasAlpha else {
            profile?.convert(surface, isOpaque: !isPartial)
            return !isPartial
        }
        let transform = profile?.makeTransform()
        for y in 0..<surface.size.height {
            let width = surface.size.width
            OptionalRows.finish(surface.row(y), width: width, picture.alpha, transform)
        }
        return false
    }
}
