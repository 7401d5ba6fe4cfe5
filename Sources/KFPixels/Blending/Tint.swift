/// Composites a colour over the whole bitmap, including transparent parts.
///
/// - Parameters:
///   - source: Any size.
///   - color: Not premultiplied.
///   - backend: The fastest by default. The results are equal.
/// - Returns: A new bitmap, or `source` itself for a clear colour.
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
