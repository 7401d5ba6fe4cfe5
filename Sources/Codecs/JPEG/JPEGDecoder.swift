import CCodecShims
import Pixels

/// Decodes a JPEG by rows, at the cheapest scale of the transform that serves the target.
///
/// Memory: the target, one row, and what libjpeg holds: some rows for a baseline file, all
/// coefficients (twice the samples) for a progressive one.
struct JPEGDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    // Real progressive files have about ten scans; each one costs a pass over the picture.
    private static let maxScanCount: Int32 = 100

    func decode() throws(CodecError) -> DecodedImage {
        let header = try JPEGHeader(parsing: bytes)
        try options.limits.check(header.size, of: .jpeg)
        if header.isProgressive {
            try options.limits.check(workingBytes: header.coefficientBytes)
        }
        let target = ShrinkOnLoad.storedTarget(of: header.info, options.target)
        let (stored, isPartial) = try decodeRows(header, target: target)
        return try .upright(stored, header.info, isPartial: isPartial)
    }

    private func decodeRows(
        _ header: JPEGHeader,
        target: PixelSize
    ) throws(CodecError) -> (Bitmap, isPartial: Bool) {
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            let decoder = kf_jpeg_decoder_create(
                base,
                bytes.count,
                options.limits.maxWorkingBytes,
                Self.maxScanCount
            )
        else { throw .pixels(.outOfMemory(bytes: bytes.count)) }
        defer { kf_jpeg_decoder_destroy(decoder) }

        let isCMYK = header.componentCount == 4
        var width: Int32 = 0
        var height: Int32 = 0
        let status = kf_jpeg_decoder_start(
            decoder,
            Int32(ShrinkOnLoad.jpegEighths(stored: header.size, target: target)),
            isCMYK ? KF_JPEG_CMYK : KF_JPEG_RGBA,
            &width,
            &height
        )
        guard status == KF_JPEG_OK else { throw failure(status, decoder, header) }

        let profile = header.assembledProfile().flatMap { $0.withUnsafeBytes(ColorProfile.init) }
        let sink = try RowSink(
            source: PixelSize(width: Int(width), height: Int(height)),
            target: target,
            isOpaque: true
        )
        let inks = isCMYK ? CMYKRows(header, profile) : nil
        let isCutOff = try readRows(decoder, header, into: sink, inks)
        let isPartial = isCutOff || kf_jpeg_decoder_lacks_scans(decoder) != 0
        if isPartial, options.truncation == .fails { throw .truncated(.jpeg) }
        let bitmap = sink.finish()
        profile?.convert(bitmap)
        return (bitmap, isPartial)
    }

    /// Decodes all rows that are there, and tells whether some are missing.
    private func readRows(
        _ decoder: OpaquePointer,
        _ header: JPEGHeader,
        into sink: RowSink,
        _ inks: CMYKRows?
    ) throws(CodecError) -> Bool {
        for _ in 0..<sink.source.height {
            let row = sink.nextRow
            let status = kf_jpeg_decoder_read_row(decoder, row)
            if status == KF_JPEG_TRUNCATED {
                sink.discardRow()
                return true
            }
            guard status == KF_JPEG_OK else { throw failure(status, decoder, header) }
            inks?.convert(row, width: sink.source.width)
            sink.commit()
        }
        return false
    }

    private func failure(
        _ status: kf_jpeg_status,
        _ decoder: OpaquePointer,
        _ header: JPEGHeader
    ) -> CodecError {
        switch status {
        case KF_JPEG_TRUNCATED:
            .truncated(.jpeg)
        case KF_JPEG_TOO_MUCH_MEMORY:
            .limitExceeded(
                .workingBytes,
                value: header.coefficientBytes,
                allowed: options.limits.maxWorkingBytes
            )
        default:
            .corrupt(.jpeg, detail: String(cString: kf_jpeg_message(decoder)))
        }
    }
}
