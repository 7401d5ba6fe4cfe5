import CKFCodecShims
import KFPixels

/// The coefficients of a progressive JPEG whose header is known, and the images decoded from them.
final class JPEGScans {
    let info: ImageInfo
    private let rows: JPEGRowReader
    private let profile: ColorProfile?

    /// Makes the decoder of a file.
    ///
    /// - Parameters:
    ///   - header: The complete header.
    ///   - bytes: The bytes that it was read from.
    ///   - options: Target and limits.
    /// - Throws: ``CodecError``.
    init(
        _ header: JPEGHeader,
        in bytes: UnsafeRawBufferPointer,
        _ options: DecodeOptions
    ) throws(CodecError) {
        try options.limits.check(header.size, of: .jpeg)
        try options.limits.check(workingBytes: header.coefficientBytes)
        info = header.info
        profile = header.assembledProfile(in: bytes).flatMap {
            $0.withUnsafeBytes(ColorProfile.init)
        }
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        guard
            let decoder = kf_jpeg_scans_create(
                options.limits.maxWorkingBytes,
                JPEGRowReader.maxScanCount,
                header.eighths(for: target, options),
                header.layout
            )
        else { throw .pixels(.outOfMemory(bytes: header.coefficientBytes)) }
        rows = JPEGRowReader(
            header: header,
            decoder: decoder,
            target: target,
            part: nil,
            limits: options.limits
        )
    }

    deinit { kf_jpeg_decoder_destroy(rows.decoder) }

    var progress: ProgressiveJPEGDecoder.Progress {
        let count = Int(kf_jpeg_scans_completed(rows.decoder))
        let hasEnded = kf_jpeg_scans_ended(rows.decoder) != 0
        return hasEnded ? .complete(scanCount: count) : .scans(count)
    }

    /// Consumes bytes and returns how many were used; the caller keeps the rest.
    func feed(_ bytes: [UInt8]) throws(CodecError) -> Int {
        var used = 0
        let status = bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return KF_JPEG_OK }
            return kf_jpeg_scans_feed(rows.decoder, base, bytes.count, &used)
        }
        try rows.check(status)
        return used
    }

    /// Decodes the complete scans; nil before the first.
    func decode() throws(CodecError) -> DecodedImage? {
        guard progress != .scans(0) else { return nil }
        var width: Int32 = 0
        var height: Int32 = 0
        try rows.check(kf_jpeg_scans_start_output(rows.decoder, &width, &height))
        let size = PixelSize(width: Int(width), height: Int(height))
        let (sink, _) = try rows.read(size, profile)
        try rows.check(kf_jpeg_scans_finish_output(rows.decoder))
        let bitmap = sink.finish()
        profile?.convert(bitmap)
        guard case .complete = progress else {
            return try .upright(bitmap, info, isPartial: true)
        }
        return try .upright(bitmap, info, isPartial: kf_jpeg_decoder_lacks_scans(rows.decoder) != 0)
    }
}
