import KFPixels

/// Decodes a format whose library is loaded when it is needed; fails if it is not installed.
///
/// Memory: JPEG XL and HEIF hold the whole image besides the target, TIFF a strip or a row of
/// tiles, SVG only the target, at whose size it is rendered. TIFF decodes its first page, HEIF its
/// primary image; ``JXLReader`` decodes the other frames of a JPEG XL.
struct OptionalDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    /// Reads only the header.
    func inspect() throws(CodecError) -> ImageInfo {
        let picture = try OptionalPicture(bytes, options.limits)
        return picture.info
    }

    func decode() throws(CodecError) -> DecodedImage {
        let picture = try OptionalPicture(bytes, options.limits)
        let info = picture.info
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        // A drawing has no pixels of its own; the limits apply to the rendered ones.
        let isDrawing = info.format == .svg
        let source = isDrawing ? target : info.storedSize
        try options.limits.check(source, of: info.format)
        try options.limits.check(workingBytes: picture.workingBytes(for: source))
        let profile = picture.makeProfile()
        let sink = try RowSink(source: source, target: target, isOpaque: !info.hasAlpha)
        let isDeep = picture.isDeep
        let transform = isDeep || info.hasAlpha ? profile?.makeTransform(isDeep: isDeep) : nil
        let rows = OptionalRows(sink, picture.alpha, transform, isDeep: isDeep)
        let isPartial = try picture.readRows(of: source, into: rows)
        if isPartial, options.truncation == .fails || rows.count == 0 {
            throw .truncated(info.format)
        }
        let bitmap = sink.finish()
        if !info.hasAlpha, !isDeep { profile?.convert(bitmap) }
        return try .upright(bitmap, info, isPartial: isPartial)
    }
}
