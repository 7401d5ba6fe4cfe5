import CKFWebP
import FoundationEssentials
import KFPixels

/// Encodes stills and animations as WebP, lossy or lossless.
struct WebPEncoder {
    let options: EncodeOptions

    /// The longest side that the format can store.
    private static let maxSide = Int(WEBP_MAX_DIMENSION)

    func encode(_ bitmap: Bitmap) throws(CodecError) -> Data {
        let file = try encodeOnce(bitmap)
        // Drawings of few colours: exact, and usually smaller.
        guard !options.isLossless, ColorTable(of: bitmap, atMost: 256) != nil else { return file }
        var exactly = options
        exactly.isLossless = true
        exactly.precision = 1
        let exact = try WebPEncoder(options: exactly).encodeOnce(bitmap)
        return exact.count <= file.count ? exact : file
    }

    private func encodeOnce(_ bitmap: Bitmap) throws(CodecError) -> Data {
        var config = try makeConfig()
        return try withPicture(bitmap, asColors: options.isLossless) { picture throws(CodecError) in
            var writer = WebPMemoryWriter()
            WebPMemoryWriterInit(&writer)
            let isDone = withUnsafeMutablePointer(to: &writer) { writer in
                picture.writer = WebPMemoryWrite
                picture.custom_ptr = UnsafeMutableRawPointer(writer)
                return WebPEncode(&config, &picture) != 0
            }
            guard isDone, let bytes = writer.mem else {
                WebPMemoryWriterClear(&writer)
                throw .encodingFailed(.webp, detail: "error \(picture.error_code.rawValue)")
            }
            return Data(
                bytesNoCopy: bytes,
                count: writer.size,
                deallocator: .custom { pointer, _ in WebPFree(pointer) }
            )
        }
    }

    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - size: The size of every frame in pixels.
    ///   - frameCount: At least one.
    ///   - loopCount: 0 means forever.
    ///   - frame: Returns the frame of an index; called in order.
    /// - Returns: The file.
    /// - Throws: ``CodecError/encodingFailed(_:detail:)``, ``CodecError/pixels(_:)``, and the error
    ///   of `frame`.
    func encode(
        _ size: PixelSize,
        frameCount: Int,
        loopCount: Int,
        _ frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> Data {
        var config = try makeConfig()
        var settings = WebPAnimEncoderOptions()
        guard frameCount > 0, WebPAnimEncoderOptionsInit(&settings) != 0,
            size.longestSide <= Self.maxSide
        else {
            throw .encodingFailed(
                .webp,
                detail: "no frames, or a side beyond \(Self.maxSide) pixels"
            )
        }
        // Frames of few colours: exact, where this is smaller.
        settings.allow_mixed = options.isLossless ? 0 : 1
        // The count has 16 bits.
        settings.anim_params.loop_count = Int32(min(max(0, loopCount), 65_535))
        guard
            let encoder = WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &settings)
        else { throw .encodingFailed(.webp, detail: "no memory") }
        defer { WebPAnimEncoderDelete(encoder) }
        var isOpaque = true
        var time = 0.0
        for index in 0..<frameCount {
            let frame = try frame(index)
            isOpaque = isOpaque && frame.bitmap.hasOnlyOpaquePixels
            let stamp = Int32(clamping: Int(time))
            // libwebp compares colours; others it would convert back.
            try withPicture(frame.bitmap, asColors: true) { picture throws(CodecError) in
                guard WebPAnimEncoderAdd(encoder, &picture, stamp, &config) != 0 else {
                    throw Self.failure(encoder)
                }
            }
            // 2²⁴ − 1 ms: the format's longest frame.
            time += min(max(0, frame.delay * 1000), 16_777_215)
        }
        var result = WebPData()
        WebPDataInit(&result)
        guard WebPAnimEncoderAdd(encoder, nil, Int32(clamping: Int(time)), nil) != 0,
            WebPAnimEncoderAssemble(encoder, &result) != 0, let bytes = result.bytes
        else { throw Self.failure(encoder) }
        let file = UnsafeMutableRawPointer(mutating: bytes)
        if !isOpaque {
            Self.markAlpha(in: UnsafeMutableRawBufferPointer(start: file, count: result.size))
        }
        return Data(
            bytesNoCopy: file,
            count: result.size,
            deallocator: .custom { pointer, _ in WebPFree(pointer) }
        )
    }

    /// Sets the alpha flag in the file's header.
    ///
    /// libwebp sets it only if a stored frame has alpha, and crops frames to the pixels that
    /// change. If no frame covers the canvas, decoders would treat the rest as opaque.
    private static func markAlpha(in file: UnsafeMutableRawBufferPointer) {
        let header = ByteReader(UnsafeRawBufferPointer(file), .little)
        // The flags are the first byte of the chunk's body (RFC 9649, section 2.7).
        guard header.has("VP8X", at: 12), let flags = header.u8(at: 20) else { return }
        file[20] = UInt8(flags | 0x10)
    }

    private static func failure(_ encoder: OpaquePointer) -> CodecError {
        let text = WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "unknown"
        return .encodingFailed(.webp, detail: text)
    }

    /// What libwebp's hook asks.
    private final class Question {
        let isCancelled: @Sendable () -> Bool

        init(_ isCancelled: @escaping @Sendable () -> Bool) { self.isCancelled = isCancelled }
    }

    private func makeConfig() throws(CodecError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw .unsupported(.webp, feature: "this version of libwebp")
        }
        config.quality = Float(max(0, min(1, options.quality)) * 100)
        if let effort = options.effort { config.method = Int32(max(0, min(6, effort))) }
        if options.isLossless {
            config.lossless = 1
            // In lossless mode, quality means effort. Beyond half of it files shrink little.
            config.quality = 50
            let precision = Int32(max(0, min(1, options.precision)) * 100)
            config.near_lossless = precision
            // Keeps the colours of transparent pixels, and so rounds no others.
            config.exact = precision == 100 ? 1 : 0
        }
        return config
    }

    // As colours: the pixels themselves, rather than luma and halved chroma.
    private func withPicture<Result>(
        _ bitmap: Bitmap,
        asColors: Bool,
        _ body: (inout WebPPicture) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        guard bitmap.size.longestSide <= Self.maxSide else {
            throw .encodingFailed(.webp, detail: "\(bitmap.size) is beyond \(Self.maxSide) pixels")
        }
        var picture = WebPPicture()
        guard WebPPictureInit(&picture) != 0 else {
            throw .unsupported(.webp, feature: "this version of libwebp")
        }
        defer { WebPPictureFree(&picture) }
        picture.use_argb = asColors ? 1 : 0
        picture.width = Int32(bitmap.width)
        picture.height = Int32(bitmap.height)
        let pixels = try StraightPixels(bitmap)
        let stride = Int32(pixels.bytesPerRow)
        let isImported = withExtendedLifetime(pixels) {
            bitmap.isOpaque
                ? WebPPictureImportRGBX(&picture, pixels.base, stride)
                : WebPPictureImportRGBA(&picture, pixels.base, stride)
        }
        guard isImported != 0 else { throw .encodingFailed(.webp, detail: "no memory") }
        guard let isCancelled = options.isCancelled else { return try body(&picture) }
        let question = Question(isCancelled)
        picture.user_data = Unmanaged.passUnretained(question).toOpaque()
        picture.progress_hook = { _, picture in
            guard let user = picture?.pointee.user_data else { return 1 }
            return Unmanaged<Question>.fromOpaque(user).takeUnretainedValue().isCancelled() ? 0 : 1
        }
        defer { withExtendedLifetime(question) {} }
        do throws(CodecError) {
            return try body(&picture)
        } catch {
            throw isCancelled() ? .cancelled : error
        }
    }
}
