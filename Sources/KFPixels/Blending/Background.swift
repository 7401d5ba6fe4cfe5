/// Composites the bitmap over a colour that fills its canvas.
///
/// - Returns: A new bitmap, or `source` itself if it is opaque or the colour is clear.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func fillBackground(_ source: Bitmap, color: RGBA) throws(PixelError) -> Bitmap {
    if source.isOpaque || color.alpha == 0 { return source }
    let tone = PixelPairs(repeating: color.premultiplied)
    let full = PixelPairs.Lanes(repeating: 255)
    return try mapRows(source, isOpaque: color.alpha == 255) { from, to, _ in
        mapPixels(from, to, width: source.width) { pixels in
            pixels &+ (tone * (full &- PixelPairs.alphas(of: pixels))).dividedBy255
        }
    }
}
