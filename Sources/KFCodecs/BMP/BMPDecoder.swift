import KFPixels

/// Decodes a BMP file row by row into the resampler.
struct BMPDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    /// The length of the file header, which icon entries do not have.
    private static let fileHeader = 14

    /// Reads only the header.
    static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        info(try BMPHeader(parsing: ByteReader(bytes, .little), at: fileHeader))
    }

    private static func info(_ header: BMPHeader) -> ImageInfo {
        ImageInfo(format: .bmp, storedSize: header.size, hasAlpha: header.alpha.maximum != 0)
    }

    func decode() throws(CodecError) -> DecodedImage {
        let reader = ByteReader(bytes, .little)
        let stated = reader.u32(at: 10) ?? 0
        let header = try BMPHeader(parsing: reader, at: Self.fileHeader, pixels: stated)
        let info = Self.info(header)
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        try options.limits.check(header.size, of: .bmp, reducedTo: target)
        let offset = stated >= header.endOfHeader ? stated : header.endOfHeader
        let sink = try RowSink(source: header.size, target: target, isOpaque: !info.hasAlpha)
        let rows = try BMPRows(header, reader, at: offset, options.limits)
        for y in 0..<header.size.height {
            guard rows.copyRow(y, to: sink.nextRow) else {
                sink.discardRow()
                break
            }
            if info.hasAlpha { premultiplyRow(sink.nextRow, width: header.size.width) }
            sink.commit()
        }
        if rows.isCutOff, options.truncation == .fails { throw .truncated(.bmp) }
        return try .upright(sink.finish(), info, isPartial: rows.isCutOff)
    }
}
