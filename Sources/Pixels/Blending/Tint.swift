/// Lays a colour over the whole extent, over transparent parts too.
///
/// - Parameters:
///   - source: Any size.
///   - color: Not premultiplied.
///   - backend: The fastest unless told otherwise; all give the same pixels.
/// - Returns: A new picture, or `source` itself for a clear colour.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func tint(
    _ source: Bitmap,
    color: RGBA,
    backend: Convolution.Backend = Convolution.backend
) throws(PixelError) -> Bitmap {
    if color.alpha == 0 { return source }
    let mix = ColorMix(
        color.premultiplied,
        keeping: 255 - color.alpha,
        isByShape: false,
        backend: backend
    )
    let isOpaque = source.isOpaque || color.alpha == 255
    return try mapRows(source, isOpaque: isOpaque, isLight: true) { from, to, _ in
        mix.row(from, to, width: source.width)
    }
}
