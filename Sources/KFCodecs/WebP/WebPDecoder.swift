import CKFWebP
import KFPixels

/// Decodes one WebP bit stream, scaled by the library as far as the target allows.
///
/// Memory: libwebp decodes a lossy image by rows and holds a lossless one whole.
struct WebPDecoder {
    /// A file of one image, or the alpha and image chunks of a frame.
    let bytes: UnsafeRawBufferPointer
    let limits: DecodeLimits

    /// Decodes to premultiplied RGBA of size `target`.
    ///
    /// - Parameters:
    ///   - target: In pixels, before orientation; nil for the stored size.
    ///   - margin: The least ratio of the decoded size to the target.
    ///   - keepsPartial: Whether rows may be missing at the end.
    /// - Returns: The bitmap and whether rows are missing.
    /// - Throws: ``CodecError``.
    func decode(
        target: PixelSize?,
        margin: Int = 2,
        keepsPartial: Bool
    ) throws(CodecError) -> (bitmap: Bitmap, isPartial: Bool) {
        var config = try makeConfiguration()
        let stored = config.input.size
        let size =
            target.map { ShrinkOnLoad.freelyScaled(stored: stored, target: $0, margin: margin) }
            ?? stored
        if size != stored {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(size.width)
            config.options.scaled_height = Int32(size.height)
        }
        let storage = try CodecError.wrapping { () throws(PixelError) in try Bitmap.allocate(size) }
        let surface = FrameSurface(storage, size)
        let isPartial = try decode(&config, into: surface, keepsPartial: keepsPartial)
        let whole = Bitmap(
            size: size,
            bytesPerRow: surface.bytesPerRow,
            isOpaque: config.input.has_alpha == 0 && !isPartial,
            storage: storage
        )
        guard let target, target != size else { return (whole, isPartial) }
        let scaled = try CodecError.wrapping { () throws(PixelError) in
            try resample(whole, to: target)
        }
        return (scaled, isPartial)
    }

    /// Decodes to premultiplied RGBA in the stored size, which must be the surface's.
    ///
    /// - Parameters:
    ///   - surface: May have any content.
    ///   - keepsPartial: Whether rows may be missing at the end; they become transparent.
    /// - Returns: Whether every pixel is opaque.
    /// - Throws: ``CodecError``.
    func decode(
        into surface: FrameSurface,
        keepsPartial: Bool
    ) throws(CodecError) -> Bool {
        var config = try makeConfiguration()
        guard config.input.size == surface.size else {
            throw .corrupt(.webp, detail: "a frame whose size differs from the header")
        }
        if keepsPartial { surface.clear() }
        let isPartial = try decode(&config, into: surface, keepsPartial: keepsPartial)
        return config.input.has_alpha == 0 && !isPartial
    }

    /// Whether the header states that no pixel is transparent.
    var isOpaque: Bool {
        var features = WebPBitstreamFeatures()
        let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        return WebPGetFeatures(base, bytes.count, &features) == VP8_STATUS_OK
            && features.has_alpha == 0
    }

    private func makeConfiguration() throws(CodecError) -> WebPDecoderConfig {
        let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw .unsupported(.webp, feature: "this version of libwebp")
        }
        try Self.check(WebPGetFeatures(base, bytes.count, &config.input))
        try limits.check(config.input.size, of: .webp)
        try checkWorkingBytes(config.input, config.input.size)
        return config
    }

    /// Decodes the available rows.
    ///
    /// Returns whether rows are missing.
    private func decode(
        _ config: inout WebPDecoderConfig,
        into surface: FrameSurface,
        keepsPartial: Bool
    ) throws(CodecError) -> Bool {
        // Premultiplied by the caller: libwebp's own result is off by one now and then.
        config.output.colorspace = MODE_RGBA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = surface.row(0)
        config.output.u.RGBA.stride = Int32(surface.bytesPerRow)
        config.output.u.RGBA.size = surface.byteCount
        let isPartial = try run(&config, keepsPartial: keepsPartial)
        if config.input.has_alpha != 0 {
            for y in 0..<surface.size.height {
                premultiplyRow(surface.row(y), width: surface.size.width)
            }
        }
        return isPartial
    }

    private func checkWorkingBytes(
        _ features: WebPBitstreamFeatures,
        _ stored: PixelSize
    ) throws(CodecError) {
        // Format 2 is lossless: libwebp holds every pixel in four bytes.
        guard features.format == 2 else { return }
        try limits.check(workingBytes: stored.byteCount(bytesPerPixel: 4))
    }

    private func run(
        _ config: inout WebPDecoderConfig,
        keepsPartial: Bool
    ) throws(CodecError) -> Bool {
        let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        guard keepsPartial else {
            try Self.check(WebPDecode(base, bytes.count, &config))
            return false
        }
        // The decoder keeps the pointer to the configuration.
        let status = withUnsafeMutablePointer(to: &config) { config in
            guard let decoder = WebPIDecode(nil, 0, config) else {
                return VP8_STATUS_OUT_OF_MEMORY
            }
            defer { WebPIDelete(decoder) }
            return WebPIUpdate(decoder, base, bytes.count)
        }
        if status == VP8_STATUS_SUSPENDED { return true }
        try Self.check(status)
        return false
    }

    private static func check(_ status: VP8StatusCode) throws(CodecError) {
        switch status {
        case VP8_STATUS_OK: return
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw .truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY:
            throw .corrupt(.webp, detail: "the library ran out of memory")
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            throw .unsupported(.webp, feature: "a feature of this file")
        default: throw .corrupt(.webp, detail: "the bit stream is invalid")
        }
    }
}

extension WebPBitstreamFeatures {
    fileprivate var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
