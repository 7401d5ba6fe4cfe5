/// Lays a colour over the whole extent, over transparent parts too.
///
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func tint(_ source: Bitmap, color: RGBA) throws(PixelError) -> Bitmap {
    if color.alpha == 0 { return source }
    let top = color.premultiplied
    let word = UInt32(top.red) | UInt32(top.green) << 8 | UInt32(top.blue) << 16
    let isOpaque = source.isOpaque || color.alpha == 255
    let constant = SIMD8<UInt32>(repeating: word | UInt32(top.alpha) << 24)
    let rest = PixelPairs.Lanes(repeating: UInt16(255 - top.alpha))
    return try mapRows(source, isOpaque: isOpaque) { from, to, _ in
        mapPixels(from, to, width: source.width) { pixels in
            constant &+ (PixelPairs(pixels) * rest).dividedBy255
        }
    }
}
