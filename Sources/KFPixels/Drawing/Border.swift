/// Strokes a border inside the bitmap's edges.
///
/// - Parameters:
///   - source: Any size.
///   - color: Straight; composited over the bitmap.
///   - lineWidth: In pixels; the stroke covers the outermost `lineWidth`.
///   - radii: Of the stroke's outer edge in pixels, clamped to half the shorter side.
/// - Returns: A new bitmap, or `source` itself if there is nothing to draw.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func addBorder(
    _ source: Bitmap,
    color: RGBA,
    lineWidth: Double,
    radii: CornerRadii = CornerRadii()
) throws(PixelError) -> Bitmap {
    guard lineWidth > 0, color.alpha > 0 else { return source }
    let width = Double(source.width)
    let height = Double(source.height)
    let outer = RoundedShape(left: 0, top: 0, right: width, bottom: height, radii: radii)
    // Beyond half the shorter side, the stroke covers everything and the inner shape is empty.
    let line = min(lineWidth, max(width, height))
    let inner = RoundedShape(
        left: line,
        top: line,
        right: width - line,
        bottom: height - line,
        radii: outer.radii.reduced(by: line)
    )
    let reach = Int(min(max(line, outer.radii.largest) + 1, max(width, height)))
    return try mapRows(source, isOpaque: source.isOpaque) { from, to, y in
        to.update(from: from, count: source.width * Bitmap.bytesPerPixel)
        let isCap = y < reach || y >= source.height - reach
        let middle = isCap ? source.width : min(reach, source.width)
        let stroke = BorderStroke(outer: outer, inner: inner, color: color)
        for x in 0..<middle { stroke.draw(to, x: x, y: y) }
        for x in max(middle, source.width - reach)..<max(middle, source.width) {
            stroke.draw(to, x: x, y: y)
        }
    }
}

private struct BorderStroke {
    let outer: RoundedShape
    let inner: RoundedShape
    let color: RGBA

    func draw(_ row: UnsafeMutablePointer<UInt8>, x: Int, y: Int) {
        let share = outer.coverage(x: x, y: y) - inner.coverage(x: x, y: y)
        guard share > 0 else { return }
        let alpha = UInt8(share * Double(color.alpha) + 0.5)
        let top = RGBA(red: color.red, green: color.green, blue: color.blue, alpha: alpha)
            .premultiplied
        let pixel = row + x * Bitmap.bytesPerPixel
        let rest = 255 - alpha
        pixel[0] = top.red + RGBA.scaled(pixel[0], by: rest)
        pixel[1] = top.green + RGBA.scaled(pixel[1], by: rest)
        pixel[2] = top.blue + RGBA.scaled(pixel[2], by: rest)
        pixel[3] = alpha + RGBA.scaled(pixel[3], by: rest)
    }
}

extension CornerRadii {
    /// The radii of a shape that is inset by `inset`.
    fileprivate func reduced(by inset: Double) -> CornerRadii {
        CornerRadii(
            topLeft: max(0, topLeft - inset),
            topRight: max(0, topRight - inset),
            bottomLeft: max(0, bottomLeft - inset),
            bottomRight: max(0, bottomRight - inset)
        )
    }
}
