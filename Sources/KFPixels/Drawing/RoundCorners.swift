/// Clips the bitmap to a rounded rectangle, antialiased.
///
/// - Parameters:
///   - source: Any size.
///   - radii: In pixels, each clamped to 0…half the shorter side. Half the side of a square gives a
///     circle.
/// - Returns: A new bitmap, or `source` itself if no corner is rounded.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func roundCorners(_ source: Bitmap, radii: CornerRadii) throws(PixelError) -> Bitmap {
    let width = source.width
    let height = source.height
    let shape = RoundedShape(
        left: 0,
        top: 0,
        right: Double(width),
        bottom: Double(height),
        radii: radii
    )
    if shape.radii.largest == 0 { return source }
    // Rows and columns beyond the arcs are copied unchanged.
    let reach = Int(shape.radii.largest.rounded(.up))
    return try mapRows(source, isOpaque: false, isLight: true) { from, to, y in
        to.update(from: from, count: width * Bitmap.bytesPerPixel)
        guard y < reach || y >= height - reach else { return }
        for x in 0..<min(reach, width) { mask(to, x: x, y: y, by: shape) }
        for x in max(reach, width - reach)..<max(reach, width) { mask(to, x: x, y: y, by: shape) }
    }
}

private func mask(_ row: UnsafeMutablePointer<UInt8>, x: Int, y: Int, by shape: RoundedShape) {
    let share = UInt8(shape.coverage(x: x, y: y) * 255 + 0.5)
    if share == 255 { return }
    let pixel = row + x * Bitmap.bytesPerPixel
    for channel in 0..<4 { pixel[channel] = RGBA.scaled(pixel[channel], by: share) }
}
