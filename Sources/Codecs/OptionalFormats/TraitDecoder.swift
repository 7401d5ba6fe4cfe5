import CCodecShims
import Pixels

/// Decodes a format that a package trait switches on; refuses it without.
///
/// Memory: JPEG XL and HEIF hold the whole picture besides the target, TIFF a strip or a row of
/// tiles, SVG the target, at which it is rendered. TIFF shows its first page, HEIF its primary
/// picture; for the other frames of a JPEG XL there is ``JXLReader``.
struct TraitDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions

    /// Reads the header alone.
    func inspect() throws(CodecError) -> ImageInfo {
        let picture = try TraitPicture(bytes, options.limits)
        return picture.info
    }

    func decode() throws(CodecError) -> DecodedImage {
        let picture = try TraitPicture(bytes, options.limits)
        let info = picture.info
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        // A drawing has no pixels of its own: what counts is how many are rendered.
        let isDrawing = info.format == .svg
        let source = isDrawing ? target : info.storedSize
        try options.limits.check(source, of: info.format)
        try options.limits.check(workingBytes: picture.workingBytes(for: source))
        let profile = picture.makeProfile()
        let sink = try RowSink(source: source, target: target, isOpaque: !info.hasAlpha)
        let rows = TraitRows(sink, picture.alpha, info.hasAlpha ? profile?.makeTransform() : nil)
        let isPartial = try picture.readRows(of: source, into: rows)
        if isPartial, options.truncation == .fails || rows.count == 0 {
            throw .truncated(info.format)
        }
        let bitmap = sink.finish()
        if !info.hasAlpha { profile?.convert(bitmap) }
        return try .upright(bitmap, info, isPartial: isPartial)
    }
}
