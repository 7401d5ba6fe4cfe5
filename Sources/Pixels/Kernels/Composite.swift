/// Draws `source` onto `backdrop` with a blend mode.
///
/// Only where the source lies is anything changed, whatever the mode.
///
/// - Parameters:
///   - source: What is drawn; parts outside the backdrop are cut.
///   - backdrop: Gives the result its size.
///   - x: The source's left edge in the backdrop.
///   - y: The source's top edge in the backdrop.
///   - mode: Source-over unless told otherwise.
///   - alpha: The source's opacity, held to 0…1; NaN counts as 0.
/// - Returns: A new picture of the backdrop's size.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func composite(
    _ source: Bitmap,
    over backdrop: Bitmap,
    x: Int = 0,
    y: Int = 0,
    mode: BlendMode = .normal,
    alpha: Double = 1
) throws(PixelError) -> Bitmap {
    let bound = 1 << 40
    let place = PixelRect(
        x: max(-bound, min(bound, x)),
        y: max(-bound, min(bound, y)),
        width: source.width,
        height: source.height
    )
    let shown = place.intersection(PixelRect(size: backdrop.size))
    let opacity = UInt16((alpha > 0 ? min(alpha, 1) : 0) * 255 + 0.5)
    let rowBytes = backdrop.width * Bitmap.bytesPerPixel
    let isOpaque = backdrop.isOpaque && mode.keepsOpaque
    return try mapRows(backdrop, isOpaque: isOpaque) { from, to, row in
        to.update(from: from, count: rowBytes)
        guard !shown.isEmpty, row >= shown.y, row < shown.y + shown.height else { return }
        source.withPixels { pixels, stride in
            blendRow(
                pixels + (row - place.y) * stride + (shown.x - place.x) * 4,
                onto: to + shown.x * 4,
                width: shown.width,
                mode: mode,
                opacity: opacity
            )
        }
    }
}

/// Draws the picture with a blend mode onto a canvas of its own size.
///
/// - Parameters:
///   - source: What is drawn.
///   - mode: With a transparent canvas the separable modes show the picture itself.
///   - alpha: The picture's opacity, held to 0…1; NaN counts as 0.
///   - background: The canvas's colour; transparent without one.
/// - Returns: A new picture.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func blend(
    _ source: Bitmap,
    mode: BlendMode,
    alpha: Double = 1,
    background: RGBA? = nil
) throws(PixelError) -> Bitmap {
    let canvas = try solidColor(background ?? .clear, size: source.size)
    return try composite(source, over: canvas, mode: mode, alpha: alpha)
}

/// Blends `width` pixels in place; `opacity` is 0…255.
private func blendRow(
    _ source: UnsafePointer<UInt8>,
    onto backdrop: UnsafeMutablePointer<UInt8>,
    width: Int,
    mode: BlendMode,
    opacity: UInt16
) {
    if mode == .normal {
        IntegerBlend.run(source, onto: backdrop, width: width, opacity: opacity, over)
        return
    }
    // The quickest that knows the mode does the row.
    for blend in [IntegerBlend.row, DividingBlend.row] {
        if blend(source, backdrop, width, mode, opacity) { return }
    }
    let strength = Float(opacity) / 255
    for x in 0..<width {
        let top = loadPixel(source + x * 4) * strength
        let bottom = loadPixel(backdrop + x * 4)
        storePixel(BlendFormulas.composite(top, bottom, mode), to: backdrop + x * 4)
    }
}

@inline(__always)
private func over(_ top: SIMD8<UInt32>, _ bottom: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let rest = PixelPairs.Lanes(repeating: 255) &- PixelPairs.alphas(of: top)
    return top &+ (PixelPairs(bottom) * rest).dividedBy255
}

/// One pixel as floats of 0…1.
@inline(__always)
func loadPixel(_ pixel: UnsafePointer<UInt8>) -> SIMD4<Float> {
    SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), Float(pixel[3])) * (1 / 255)
}

/// Writes a pixel of floats, clipped to 0…alpha and rounded to nearest.
@inline(__always)
func storePixel(_ value: SIMD4<Float>, to pixel: UnsafeMutablePointer<UInt8>) {
    // Adding 2²³ leaves the rounded integer in the low bits: converting SIMD floats to integers
    // is a slow generic call.
    let magic: Float = 8_388_608
    let alpha = max(0, min(1, value.w)) * 255
    for channel in 0..<3 {
        let bounded = max(0, min(alpha, value[channel] * 255))
        pixel[channel] = UInt8(truncatingIfNeeded: (bounded + magic).bitPattern)
    }
    pixel[3] = UInt8(truncatingIfNeeded: (alpha + magic).bitPattern)
}
