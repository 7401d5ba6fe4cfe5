import CKFCodecShims
import KFPixels

/// Decodes a JPEG by rows, at the smallest scale of the transform that serves the target.
///
/// Memory: the target, one row, and libjpeg's own: a few rows for a baseline file, all coefficients
/// (twice the bytes of the samples) for a progressive one.
///
/// Samples of 12 bits, and those of lossless files, are rounded to 8. They need libjpeg-turbo 3.
///
/// At 1/8, the scans of a progressive file that hold only details are not decoded. Damage in them is
/// not noticed.
struct JPEGDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    /// Decodes the file.
    ///
    /// - Parameter known: The header of the same bytes, if it was read before.
    /// - Returns: The image.
    /// - Throws: ``CodecError``.
    func decode(_ known: JPEGHeader? = nil) throws(CodecError) -> DecodedImage {
        let header = if let known { known } else { try JPEGHeader(parsing: bytes) }
        try header.checkLibrary()
        let target = ShrinkOnLoad.storedTarget(of: header.info, options.target)
        try options.limits.check(header.size, of: .jpeg, reducedTo: target)
        if header.isProgressive {
            try options.limits.check(workingBytes: header.coefficientBytes)
        }
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
                JPEGRowReader.maxScanCount
            )
        else { throw .pixels(.outOfMemory(bytes: bytes.count)) }
        defer { kf_jpeg_decoder_destroy(decoder) }

        let rows = JPEGRowReader(
            header: header,
            decoder: decoder,
            target: target,
            part: ShrinkOnLoad.storedPart(of: header.info, target, options),
            limits: options.limits
        )
        var width: Int32 = 0
        var height: Int32 = 0
        try rows.check(
            kf_jpeg_decoder_start(
                decoder,
                header.eighths(for: target, options),
                header.layout,
                header.isLossless ? 1 : 0,
                &width,
                &height
            )
        )

        let profile = header.assembledProfile(in: bytes).flatMap {
            $0.withUnsafeBytes(ColorProfile.init)
        }
        let size = PixelSize(width: Int(width), height: Int(height))
        let (sink, isCutOff) = try rows.read(size, profile)
        let isPartial = isCutOff || kf_jpeg_decoder_lacks_scans(decoder) != 0
        if isPartial, options.truncation == .fails { throw .truncated(.jpeg) }
        let bitmap = sink.finish()
        profile?.convert(bitmap)
        return (bitmap, isPartial)
    }
}
