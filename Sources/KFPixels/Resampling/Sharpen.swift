/// Sharpens with an unsharp mask: adds the difference between the bitmap and a blurred copy.
///
/// - Parameters:
///   - source: Any size.
///   - amount: The factor of the difference, clamped to 0…16; NaN counts as 0.
///   - size: The side of the averaging square in pixels, rounded up to an odd number of at least 3.
/// - Returns: A new bitmap, or `source` itself for an amount of 0.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func sharpen(
    _ source: Bitmap,
    amount: Double,
    size: Int = 3
) throws(PixelError) -> Bitmap {
    guard amount > 0 else { return source }
    let factor = Int16((min(amount, 16) * 1024).rounded())
    let side = max(3, min(size, 2 * source.size.longestSide + 1)) | 1
    // Two passes make a triangle filter, whose mask shows no boxes.
    let soft = try boxBlur(source, size: side, passes: 2)
    return try mapRows(source, isOpaque: source.isOpaque) { from, to, y in
        soft.withPixels { pixels, stride in
            let blurred = pixels + y * stride
            for byte in 0..<(source.width * Bitmap.bytesPerPixel) {
                let value = Int32(from[byte])
                let gain = (value &- Int32(blurred[byte])) &* Int32(factor) &+ 512
                to[byte] = UInt8(truncatingIfNeeded: max(0, min(255, value &+ gain >> 10)))
            }
        }
        if !source.isOpaque {
            Convolution.clampToAlpha(to, count: source.width * Bitmap.bytesPerPixel)
        }
    }
}
