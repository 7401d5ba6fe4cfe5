private import CKFKernels

/// Draws `source` onto `backdrop` with a blend mode.
///
/// Pixels outside the source's rectangle do not change, whatever the mode.
///
/// - Parameters:
///   - source: The bitmap to draw; parts outside the backdrop are clipped.
///   - backdrop: Determines the result's size.
///   - x: The source's left edge in the backdrop.
///   - y: The source's top edge in the backdrop.
///   - mode: Source-over by default.
///   - alpha: The source's opacity, clamped to 0…1; NaN counts as 0.
///   - backend: The fastest by default. The results differ by at most one.
/// - Returns: A new bitmap of the backdrop's size.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func composite(
    _ source: Bitmap,
    over backdrop: Bitmap,
    x: Int = 0,
    y: Int = 0,
    mode: BlendMode = .normal,
    alpha: Double = 1,
    backend: Convolution.Backend = Convolution.backend
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
    return try mapRows(backdrop, isOpaque: isOpaque, isLight: mode == .normal) { from, to, row in
        to.update(from: from, count: rowBytes)
        guard !shown.isEmpty, row >= shown.y, row < shown.y + shown.height else { return }
        source.withPixels { pixels, stride in
            blendRow(
                pixels + (row - place.y) * stride + (shown.x - place.x) * 4,
                onto: to + shown.x * 4,
                width: shown.width,
                mode: mode,
                opacity: opacity,
                backend: backend
            )
        }
    }
}

/// Draws the bitmap with a blend mode onto a canvas of its own size.
///
/// - Parameters:
///   - source: The bitmap to draw.
///   - mode: On a transparent canvas, the separable modes show the bitmap itself.
///   - alpha: The bitmap's opacity, clamped to 0…1; NaN counts as 0.
///   - background: The canvas's colour; transparent if nil.
/// - Returns: A new bitmap.
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
    opacity: UInt16,
    backend: Convolution.Backend
) {
    #if arch(x86_64) || arch(arm64)
    let (number, share) = (Int32(mode.rawValue), Int32(opacity))
    if backend == .twin, kf_blend_row(source, backdrop, Int32(width), number, share) != 0 {
        return
    }
    #endif
    let row = BlendRow(source: source, backdrop: backdrop, width: width, opacity: opacity)
    if mode == .normal {
        row.replace(over)
        return
    }
    for apply in [IntegerBlend.apply, DividingBlend.apply, HSLBlend.apply] {
        if apply(mode, row) { return }
    }
    preconditionFailure("no kernel has the blend mode \(mode)")
}

@inline(__always)
private func over(_ top: SIMD8<UInt32>, _ bottom: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let rest = PixelPairs.Lanes(repeating: 255) &- PixelPairs.alphas(of: top)
    return top &+ (PixelPairs(bottom) * rest).dividedBy255
}
