/// Crops the margin that has the colour of the top left pixel.
///
/// - Parameters:
///   - source: Any size.
///   - tolerance: The largest difference of a margin pixel's channel from that colour, 0…255.
/// - Returns: A new bitmap, or `source` itself if there is no margin or nothing but margin.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func trim(_ source: Bitmap, tolerance: Int = 0) throws(PixelError) -> Bitmap {
    guard let rect = contentRect(source, tolerance: tolerance) else { return source }
    return try crop(source, to: rect)
}

/// The smallest rectangle outside which every pixel has the colour of the top left one.
///
/// - Parameters:
///   - source: Any size.
///   - tolerance: The largest difference of a channel from that colour, 0…255.
/// - Returns: Nil if all pixels have that colour.
package func contentRect(_ source: Bitmap, tolerance: Int = 0) -> PixelRect? {
    let scan = MarginScan(source, tolerance: max(0, min(255, tolerance)))
    guard let top = (0..<source.height).first(where: { scan.rowHasContent($0) }),
        let bottom = (top..<source.height).last(where: { scan.rowHasContent($0) })
    else { return nil }
    var left = source.width - 1
    var right = 0
    for y in top...bottom {
        if let first = (0..<left).first(where: { scan.isContent($0, y) }) { left = first }
        if let last = (right..<source.width).last(where: { scan.isContent($0, y) }) {
            right = last
        }
    }
    return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
}

private struct MarginScan {
    private let source: Bitmap
    private let tolerance: Int
    private let margin: RGBA

    init(_ source: Bitmap, tolerance: Int) {
        self.source = source
        self.tolerance = tolerance
        margin = source[0, 0]
    }

    func rowHasContent(_ y: Int) -> Bool {
        (0..<source.width).contains { isContent($0, y) }
    }

    func isContent(_ x: Int, _ y: Int) -> Bool {
        source.withPixels { pixels, stride in
            let pixel = pixels + y * stride + x * Bitmap.bytesPerPixel
            return abs(Int(pixel[0]) - Int(margin.red)) > tolerance
                || abs(Int(pixel[1]) - Int(margin.green)) > tolerance
                || abs(Int(pixel[2]) - Int(margin.blue)) > tolerance
                || abs(Int(pixel[3]) - Int(margin.alpha)) > tolerance
        }
    }
}
