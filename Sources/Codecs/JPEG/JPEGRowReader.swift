import CCodecShims
import Pixels

/// What decoding at once and decoding by scans share: how libjpeg is set up and how its rows are
/// read.
///
/// Borrows the decoder.
struct JPEGRowReader {
    let header: JPEGHeader
    let decoder: OpaquePointer
    /// The size to produce, before orientation.
    let target: PixelSize
    let limits: DecodeLimits

    // Real progressive files have about ten scans; each one costs a pass over the picture.
    static let maxScanCount: Int32 = 100

    /// Decodes all rows that are there into a sink, and tells whether some are missing.
    ///
    /// `size` is what the library makes. The profile is for ink; RGB is converted after scaling,
    /// which is cheaper.
    func read(
        _ size: PixelSize,
        _ profile: ColorProfile?
    ) throws(CodecError) -> (RowSink, isCutOff: Bool) {
        let sink = try RowSink(source: size, target: target, isOpaque: true)
        let inks = header.isCMYK ? CMYKRows(header, profile) : nil
        for _ in 0..<size.height {
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

    /// Throws what the library reported.
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

    /// The scale of the transform that serves a target.
    func eighths(for target: PixelSize) -> Int32 {
        Int32(ShrinkOnLoad.jpegEighths(stored: size, target: target))
    }
}
