import CKFCodecShims
import KFPixels

/// Reads rows from libjpeg, for decoding both at once and scan by scan.
///
/// Borrows the decoder.
struct JPEGRowReader {
    let header: JPEGHeader
    let decoder: OpaquePointer
    /// The size to produce, before orientation.
    let target: PixelSize
    /// The part of the target to produce; nil for all of it.
    let part: PixelRect?
    let limits: DecodeLimits

    // Real progressive files have about ten scans. Each costs a pass over the image.
    static let maxScanCount: Int32 = 100

    /// Decodes the available rows into a sink.
    ///
    /// - Parameters:
    ///   - size: The size of libjpeg's output.
    ///   - profile: Applied here to CMYK only. The caller converts RGB after scaling, which is
    ///     cheaper.
    /// - Returns: The sink, and whether rows are missing.
    /// - Throws: ``CodecError``.
    func read(
        _ size: PixelSize,
        _ profile: ColorProfile?
    ) throws(CodecError) -> (RowSink, isCutOff: Bool) {
        let sink = try RowSink(source: size, target: target, part: part, isOpaque: true)
        let inks = header.isCMYK ? CMYKRows(profile) : nil
        if part != nil { try skip(to: sink) }
        while sink.needsNextRow {
            let row = sink.nextRow
            let status = kf_jpeg_decoder_read_row(decoder, row)
            if status == KF_JPEG_TRUNCATED {
                sink.discardRow()
                return (sink, true)
            }
            try check(status)
            inks?.convert(row, width: size.width)
            sink.commit()
        }
        return (sink, false)
    }

    /// Makes libjpeg leave out the rows above the needed ones, and the columns beside them.
    private func skip(to sink: RowSink) throws(CodecError) {
        let columns = sink.neededColumns
        let rows = max(0, sink.neededRows.lowerBound)
        guard header.isOrdinary else {
            for _ in 0..<rows {
                try check(kf_jpeg_decoder_read_row(decoder, sink.nextRow))
                sink.skip(1)
            }
            return
        }
        try check(
            kf_jpeg_decoder_select(
                decoder,
                Int32(columns.lowerBound),
                Int32(columns.count),
                Int32(rows)
            )
        )
        sink.skip(rows)
    }

    /// Throws the error that the library reported, if any.
    func check(_ status: kf_jpeg_status) throws(CodecError) {
        switch status {
        case KF_JPEG_OK:
            return
        case KF_JPEG_TRUNCATED:
            throw .truncated(.jpeg)
        case KF_JPEG_TOO_MUCH_MEMORY:
            throw .limitExceeded(
                .workingBytes,
                value: header.coefficientBytes,
                allowed: limits.maxWorkingBytes
            )
        default:
            throw .corrupt(.jpeg, detail: String(cString: kf_jpeg_message(decoder)))
        }
    }
}

extension JPEGHeader {
    var isCMYK: Bool { componentCount == 4 }

    var layout: kf_jpeg_layout { isCMYK ? KF_JPEG_CMYK : KF_JPEG_RGBA }

    /// The scale of the transform that serves a target, in eighths.
    func eighths(for target: PixelSize, _ options: DecodeOptions) -> Int32 {
        Int32(ShrinkOnLoad.jpegEighths(stored: size, target: target, margin: options.margin))
    }
}
