/// Composites the bitmap over a colour that is clipped to the bitmap's alpha.
///
/// A fraction of 0 gives the colour alone, 1 the bitmap alone; in between, the bitmap with that
/// opacity is composited over the colour.
///
/// - Parameters:
///   - source: Any size.
///   - color: Straight. Its alpha applies where the colour shows.
///   - fraction: Clamped to 0…1; NaN counts as 0.
///   - backend: The fastest by default. The results are equal.
/// - Returns: A new bitmap, or `source` itself for a fraction of 1.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func overlay(
    _ source: Bitmap,
    color: RGBA,
    fraction: Double,
    backend: Convolution.Backend = Convolution.backend
) throws(PixelError) -> Bitmap {
    let share = fraction > 0 ? min(fraction, 1) : 0
    if share == 1 { return source }
    let keep = UInt8((share * 255).rounded())
    // Both weights are bytes that add up to 255, so that sums of products fit 16 bits.
    let tone = color.premultiplied
    let weighted = RGBA(
        red: RGBA.scaled(tone.red, by: 255 - keep),
        green: RGBA.scaled(tone.green, by: 255 - keep),
        blue: RGBA.scaled(tone.blue, by: 255 - keep),
        alpha: RGBA.scaled(tone.alpha, by: 255 - keep)
    )
    let mix = ColorMix(weighted, keeping: keep, isByShape: true, backend: backend)
    let isOpaque = source.isOpaque && tone.alpha == 255
    return try mapRows(source, isOpaque: isOpaque, isLight: true) { from, to, _ in
        mix.row(from, to, width: source.width)
    }
}
