import CCodecShims
import FoundationEssentials
import Pixels

/// Encodes a bitmap as an AVIF still.
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
    /// The quantizer of the lowest quality.
    private static let worstQuantizer = 63.0
    /// The size in pixels of the largest image in AV1's levels.
    ///
    /// Of larger ones libaom 3.6 makes files that neither dav1d nor itself decodes, and reports
    /// success.
    private static let maxPixels = 35_651_584

    func encode(_ bitmap: Bitmap) throws(CodecError) -> Data {
        guard bitmap.size.byteCount(bytesPerPixel: 1) <= Self.maxPixels else {
            throw .encodingFailed(
                .avif,
                detail: "more than \(Self.maxPixels) pixels; choose another format"
            )
        }
        let isReduced = options.subsamplesChroma != false && !options.isLossless
        let format = isReduced ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
        guard
            let image = avif.avifImageCreate(
                UInt32(bitmap.width),
                UInt32(bitmap.height),
                8,
                format
            ), let encoder = avif.avifEncoderCreate()
        else { throw .pixels(.outOfMemory(bytes: bitmap.byteCount)) }
        defer {
            avif.avifEncoderDestroy(encoder)
            avif.avifImageDestroy(image)
        }
        // sRGB as code points: BT.709 primaries, sRGB transfer; with a profile they are unspecified.
        // Lossless files store RGB itself.
        let isSRGB = options.profile == nil
        image.pointee.colorPrimaries = avifColorPrimaries(isSRGB ? 1 : 2)
        image.pointee.transferCharacteristics = avifTransferCharacteristics(isSRGB ? 13 : 2)
        if let profile = options.profile { try set(profile, in: image) }
        image.pointee.matrixCoefficients = avifMatrixCoefficients(options.isLossless ? 0 : 6)
        image.pointee.yuvRange = AVIF_RANGE_FULL
        try fill(image, bitmap)

        let quality = max(0, min(1, options.quality))
        let quantizer = Int32(((1 - quality) * Self.worstQuantizer).rounded())
        encoder.pointee.speed = options.effort.map { Int32(max(0, min(10, $0))) } ?? Self.speed
        encoder.pointee.maxThreads = 1
        encoder.pointee.minQuantizer = options.isLossless ? 0 : quantizer
        encoder.pointee.maxQuantizer = options.isLossless ? 0 : quantizer
        encoder.pointee.minQuantizerAlpha = 0
        encoder.pointee.maxQuantizerAlpha = options.isLossless ? 0 : quantizer / 2
        var output = avifRWData()
        let result = avif.avifEncoderWrite(encoder, image, &output)
        defer { avif.avifRWDataFree(&output) }
        try check(result)
        guard let bytes = output.data else { throw .encodingFailed(.avif, detail: "no bytes") }
        return Data(bytes: bytes, count: output.size)
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
        _ bitmap: Bitmap
    ) throws(CodecError) {
        let pixels = try StraightPixels(bitmap)
        var rgb = avifRGBImage()
        avif.avifRGBImageSetDefaults(&rgb, image)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        rgb.ignoreAlpha = bitmap.isOpaque ? AVIF_TRUE : AVIF_FALSE
        rgb.pixels = pixels.base
        rgb.rowBytes = UInt32(pixels.bytesPerRow)
        try check(withExtendedLifetime(pixels) { avif.avifImageRGBToYUV(image, &rgb) })
    }

    private func check(_ result: avifResult) throws(CodecError) {
        guard result != AVIF_RESULT_OK else { return }
        throw .encodingFailed(.avif, detail: avif.text(of: result))
    }
}
