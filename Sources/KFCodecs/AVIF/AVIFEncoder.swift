import CKFCodecShims
import FoundationEssentials
import KFPixels

/// Encodes stills and animations as AVIF.
struct AVIFEncoder {
    private let options: EncodeOptions
    private let avif: kf_avif

    /// - Throws: ``CodecError/missingLibrary(_:name:)``.
    init(options: EncodeOptions) throws(CodecError) {
        self.options = options
        avif = try AVIFLibrary.load()
    }

    // Range 0…10. 8 takes a third of the time of 6, the library's default, and costs 5 % more
    // bytes.
    private static let speed: Int32 = 8
    /// The least quality at which colours have all of their samples by default.
    private static let fullChromaQuality = 0.95
    /// The quantizer of the lowest quality.
    private static let worstQuantizer = 63.0
    /// The size in pixels of the largest image in AV1's levels.
    ///
    /// Of larger ones libaom 3.6 makes files that neither dav1d nor itself decodes, and reports
    /// success.
    private static let maxPixels = 35_651_584

    /// Units of time in a second: whole numbers of them for 24, 25, 30 and 29.97 frames a second, and
    /// for hundredths.
    private static let timescale = 90_000.0

    func encode(_ bitmap: Bitmap) throws(CodecError) -> Data {
        try checkSize(bitmap.size)
        return try withEncoder { encoder throws(CodecError) in
            try add(bitmap, to: encoder, isOpaque: bitmap.isOpaque)
        }
    }

    /// Encodes an animation.
    ///
    /// The library cannot be interrupted within a frame.
    ///
    /// - Parameters:
    ///   - size: The size of every frame in pixels.
    ///   - frameCount: At least one.
    ///   - loopCount: 0 means forever. libavif before 1.0 does not store it.
    ///   - isOpaque: Whether every frame is opaque.
    ///   - frame: Returns the frame of an index; called in order.
    /// - Returns: The file.
    /// - Throws: ``CodecError/encodingFailed(_:detail:)``, ``CodecError/pixels(_:)``, and the error
    ///   of `frame`.
    func encode(
        _ size: PixelSize,
        frameCount: Int,
        loopCount: Int,
        isOpaque: Bool,
        _ frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> Data {
        try checkSize(size)
        guard frameCount > 0 else { throw .encodingFailed(.avif, detail: "no frames") }
        return try withEncoder { encoder throws(CodecError) in
            encoder.pointee.timescale = UInt64(Self.timescale)
            kf_avif_set_loop_count(encoder, Int32(clamping: loopCount))
            var time = 0.0
            for index in 0..<frameCount {
                let frame = try frame(index)
                // As with WebP; one without an end is a still.
                let end = time + min(max(0, frame.delay), 16_777)
                let units = (end * Self.timescale).rounded() - (time * Self.timescale).rounded()
                try add(
                    frame.bitmap,
                    to: encoder,
                    isOpaque: isOpaque,
                    lasting: frameCount == 1 ? nil : UInt64(max(1, units))
                )
                time = end
            }
        }
    }

    private func checkSize(_ size: PixelSize) throws(CodecError) {
        guard size.byteCount(bytesPerPixel: 1) <= Self.maxPixels else {
            throw .encodingFailed(
                .avif,
                detail: "more than \(Self.maxPixels) pixels; choose another format"
            )
        }
    }

    private typealias Encoder = UnsafeMutablePointer<avifEncoder>

    /// Passes an encoder to `body`, which adds the images, and returns its file.
    private func withEncoder(
        _ body: (Encoder) throws(CodecError) -> Void
    ) throws(CodecError) -> Data {
        guard let encoder = avif.avifEncoderCreate() else {
            throw .encodingFailed(.avif, detail: "no memory")
        }
        defer { avif.avifEncoderDestroy(encoder) }
        let quality = max(0, min(1, options.quality))
        let quantizer = Int32(((1 - quality) * Self.worstQuantizer).rounded())
        encoder.pointee.speed = options.effort.map { Int32(max(0, min(10, $0))) } ?? Self.speed
        encoder.pointee.maxThreads = 1
        let color = options.isLossless ? 0 : quantizer
        kf_avif_set_quantizers(encoder, color, color, 0, color / 2)
        try body(encoder)
        var output = avifRWData()
        let result = avif.avifEncoderFinish(encoder, &output)
        defer { avif.avifRWDataFree(&output) }
        try check(result)
        guard let bytes = output.data else { throw .encodingFailed(.avif, detail: "no bytes") }
        return AVIFTimes.removed(from: Data(bytes: bytes, count: output.size))
    }

    /// Encodes one image.
    ///
    /// - Parameters:
    ///   - bitmap: Its pixels.
    ///   - encoder: The encoder.
    ///   - isOpaque: Whether it has no alpha plane; all frames have one, or none has.
    ///   - duration: In units of the timescale; nil for a still.
    /// - Throws: ``CodecError``.
    private func add(
        _ bitmap: Bitmap,
        to encoder: Encoder,
        isOpaque: Bool,
        lasting duration: UInt64? = nil
    ) throws(CodecError) {
        let isReduced =
            !options.isLossless
            && (options.subsamplesChroma ?? (options.quality < Self.fullChromaQuality))
        let format = isReduced ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
        guard
            let image = avif.avifImageCreate(
                UInt32(bitmap.width),
                UInt32(bitmap.height),
                8,
                format
            )
        else { throw .pixels(.outOfMemory(bytes: bitmap.byteCount)) }
        defer { avif.avifImageDestroy(image) }
        // sRGB as code points: BT.709 primaries, sRGB transfer; with a profile they are unspecified.
        // Lossless files store RGB itself.
        let isSRGB = options.profile == nil
        image.pointee.colorPrimaries = avifColorPrimaries(isSRGB ? 1 : 2)
        image.pointee.transferCharacteristics = avifTransferCharacteristics(isSRGB ? 13 : 2)
        if let profile = options.profile { try set(profile, in: image) }
        image.pointee.matrixCoefficients = avifMatrixCoefficients(options.isLossless ? 0 : 6)
        image.pointee.yuvRange = AVIF_RANGE_FULL
        try fill(image, bitmap, isOpaque: isOpaque)
        let single = UInt32(AVIF_ADD_IMAGE_FLAG_SINGLE.rawValue)
        try check(
            avif.avifEncoderAddImage(encoder, image, duration ?? 1, duration == nil ? single : 0)
        )
    }

    /// Copies a profile into memory that libavif owns.
    ///
    /// By hand, because the library's function returns a result in some versions only.
    private func set(
        _ profile: Data,
        in image: UnsafeMutablePointer<avifImage>
    ) throws(CodecError) {
        guard let memory = avif.avifAlloc(profile.count) else {
            throw .pixels(.outOfMemory(bytes: profile.count))
        }
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: profile.count)
        profile.withUnsafeBytes { bytes.copyMemory(from: $0) }
        image.pointee.icc.data = memory.assumingMemoryBound(to: UInt8.self)
        image.pointee.icc.size = profile.count
    }

    private func fill(
        _ image: UnsafeMutablePointer<avifImage>,
        _ bitmap: Bitmap,
        isOpaque: Bool
    ) throws(CodecError) {
        let pixels = try StraightPixels(bitmap)
        var rgb = avifRGBImage()
        avif.avifRGBImageSetDefaults(&rgb, image)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        rgb.ignoreAlpha = isOpaque ? AVIF_TRUE : AVIF_FALSE
        kf_avif_set_pixels(&rgb, pixels.base, UInt32(pixels.bytesPerRow))
        try check(withExtendedLifetime(pixels) { avif.avifImageRGBToYUV(image, &rgb) })
    }

    private func check(_ result: avifResult) throws(CodecError) {
        guard result != AVIF_RESULT_OK else { return }
        throw .encodingFailed(.avif, detail: avif.text(of: result))
    }
}
