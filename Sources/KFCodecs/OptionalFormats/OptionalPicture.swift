import CKFCodecShims
import KFPixels

/// A file whose header was read by a library that is loaded when it is needed.
///
/// Borrows the bytes. Not thread-safe: one thread at a time.
final class OptionalPicture {
    private let handle: OpaquePointer
    private let format: FileFormat
    private let limits: DecodeLimits
    private var header = kf_picture_info()
    /// Nil for a still.
    private(set) var animation: Animation?

    struct Animation {
        /// In seconds, as stated.
        var delays: [Double]
        /// Whether the file ends before its last frame begins.
        var isCutOff: Bool
    }

    /// Reads the header.
    ///
    /// - Throws: ``CodecError``.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(CodecError) {
        let format = try FileFormat(of: bytes)
        guard let known = OptionalFormat(format) else {
            throw .unsupported(format, feature: "decoding")
        }
        try known.check()
        if format == .heif { try BoxItems.check(bytes, limits) }
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            let handle = kf_picture_create(
                known.kind,
                base,
                bytes.count,
                limits.maxWorkingBytes,
                // Twice our limit, so that our own check fails first and reports the exact number.
                Int32(clamping: limits.maxDimension * 2)
            )
        else { throw .pixels(.outOfMemory(bytes: bytes.count)) }
        self.handle = handle
        self.format = format
        self.limits = limits
        let status = kf_picture_read_header(handle, &header)
        guard status == KF_PICTURE_OK else {
            throw Self.isShort(bytes, format, status) ? .truncated(format) : failure(status)
        }
        if header.is_animated != 0 { animation = try readAnimation() }
    }

    deinit { kf_picture_destroy(handle) }

    var info: ImageInfo {
        ImageInfo(
            format: format,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: UInt8(exactly: header.orientation).flatMap(Orientation.init) ?? .up,
            frameCount: frameCount,
            loopCount: (animation?.delays.count ?? 1) > 1 ? Int(header.loop_count) : nil,
            hasAlpha: header.has_alpha != 0,
            bitsPerChannel: Int(header.bits_per_channel),
            hasColorProfile: header.has_profile != 0
        )
    }

    private var frameCount: Int? {
        guard let animation else { return 1 }
        return animation.isCutOff ? nil : max(1, animation.delays.count)
    }

    var alpha: StoredAlpha {
        guard header.has_alpha != 0 else { return .none }
        return header.is_premultiplied != 0 ? .premultiplied : .straight
    }

    /// Whether rows have 16 bits per channel.
    var isDeep: Bool { header.is_deep != 0 }

    /// An estimate of the bytes that the library holds besides the rows it delivers.
    func workingBytes(for size: PixelSize) -> Int {
        size.byteCount(bytesPerPixel: Int(header.working_bytes_per_pixel))
    }

    /// The profile of the rows; nil if they are sRGB.
    func makeProfile() -> ColorProfile? {
        if let profile = header.profile {
            return ColorProfile(
                UnsafeRawBufferPointer(start: profile, count: header.profile_count)
            )
        }
        return ColorProfile(primaries: Int(header.primaries), transfer: Int(header.transfer))
    }

    /// Decodes all rows.
    ///
    /// Returns whether some are missing or coarse.
    func readRows(of size: PixelSize, into rows: OptionalRows) throws(CodecError) -> Bool {
        let status = withExtendedLifetime(rows) {
            kf_picture_read_rows(
                handle,
                Int32(clamping: size.width),
                Int32(clamping: size.height),
                OptionalRows.take,
                Unmanaged.passUnretained(rows).toOpaque()
            )
        }
        if status == KF_PICTURE_TRUNCATED { return true }
        guard status == KF_PICTURE_OK else { throw failure(status) }
        return false
    }

    private final class Delays {
        var seconds: [Double] = []
        let limit: Int

        init(limit: Int) { self.limit = limit }
    }

    private func readAnimation() throws(CodecError) -> Animation {
        // One more than the limit, so that the check below fails with a number.
        let delays = Delays(limit: limits.maxFrameCount + 1)
        let status = withExtendedLifetime(delays) {
            kf_jxl_read_delays(
                handle,
                { context, seconds in
                    let delays = Unmanaged<Delays>.fromOpaque(context).takeUnretainedValue()
                    delays.seconds.append(seconds)
                    return delays.seconds.count < delays.limit ? 1 : 0
                },
                Unmanaged.passUnretained(delays).toOpaque()
            )
        }
        try limits.check(frameCount: delays.seconds.count)
        guard status == KF_PICTURE_OK || status == KF_PICTURE_TRUNCATED else {
            throw failure(status)
        }
        return Animation(delays: delays.seconds, isCutOff: status == KF_PICTURE_TRUNCATED)
    }

    /// Decodes a frame of an animation as packed rows, with the colours and alpha of the file.
    ///
    /// - Returns: Whether pixels are missing or coarse.
    /// - Throws: ``CodecError``.
    func readFrame(at index: Int, into surface: FrameSurface) throws(CodecError) -> Bool {
        let status = kf_jxl_read_frame(
            handle,
            Int32(clamping: index),
            surface.row(0),
            surface.byteCount
        )
        if status == KF_PICTURE_TRUNCATED { return true }
        guard status == KF_PICTURE_OK else { throw failure(status) }
        return false
    }

    // libheif reports a structure that ends too early as damaged.
    private static func isShort(
        _ bytes: UnsafeRawBufferPointer,
        _ format: FileFormat,
        _ status: kf_picture_status
    ) -> Bool {
        format == .heif && status == KF_PICTURE_CORRUPT && AVIFBoxes(bytes).isCutOff
    }

    private func failure(_ status: kf_picture_status) -> CodecError {
        let detail = String(cString: kf_picture_message(handle))
        return switch status {
        case KF_PICTURE_TRUNCATED:
            .truncated(format)
        case KF_PICTURE_UNSUPPORTED:
            .unsupported(format, feature: detail)
        case KF_PICTURE_TOO_MUCH_MEMORY:
            .limitExceeded(
                .workingBytes,
                value: limits.maxWorkingBytes + 1,
                allowed: limits.maxWorkingBytes
            )
        default:
            .corrupt(format, detail: detail)
        }
    }
}
