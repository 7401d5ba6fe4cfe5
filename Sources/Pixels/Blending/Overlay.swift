/// Lays the picture over a colour that has the picture's shape.
///
/// The shape is the picture's alpha: the colour alone at a fraction of 0, the picture alone at 1,
/// in between the picture over the colour with that opacity.
///
/// - Parameters:
///   - source: Any size.
///   - color: Its alpha counts where the colour shows.
///   - fraction: Held to 0…1; NaN counts as 0.
///   - backend: The fastest unless told otherwise; all give the same pixels.
/// - Returns: A new picture, or `source` itself for a fraction of 1.
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
    // Both weights are bytes that add up to 255, so sums of products fit 16 bits.
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
