#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Adds margins around the bitmap; negative margins crop.
///
/// - Parameters:
///   - source: Any size.
///   - top: In pixels.
///   - left: In pixels.
///   - bottom: In pixels.
///   - right: In pixels.
///   - color: Fills the margins. The bitmap itself keeps its transparency.
/// - Returns: A new bitmap, larger or smaller by the margins.
/// - Throws: ``PixelError`` if nothing is left, the result is too large, or memory cannot be
///   allocated.
package func pad(
    _ source: Bitmap,
    top: Int,
    left: Int,
    bottom: Int,
    right: Int,
    color: RGBA = .clear
) throws(PixelError) -> Bitmap {
    // Clamped so that sums cannot overflow. Values near the bound are rejected below anyway.
    let bound = 1 << 20
    func hold(_ value: Int) -> Int { max(-bound, min(bound, value)) }
    let x = hold(left)
    let y = hold(top)
    let size = PixelSize(
        width: source.width + x + hold(right),
        height: source.height + y + hold(bottom)
    )
    let place = PixelRect(x: x, y: y, width: source.width, height: source.height)
    let shown = place.intersection(PixelRect(size: size))
    let isOpaque = source.isOpaque && (color.alpha == 255 || shown.size == size)
    return try Bitmap(size: size, isOpaque: isOpaque) { out, bytesPerRow in
        if color.alpha > 0 { fill(out, count: size.width * size.height, with: color) }
        source.withPixels { pixels, stride in
            for row in 0..<shown.height {
                let from = pixels + (shown.y + row - y) * stride + (shown.x - x) * 4
                let to = out + (shown.y + row) * bytesPerRow + shown.x * 4
                memcpy(to, from, shown.width * 4)
            }
        }
    }
}

/// Writes `count` pixels of one colour.
func fill(_ out: UnsafeMutablePointer<UInt8>, count: Int, with color: RGBA) {
    let tone = color.premultiplied
    let low = UInt32(tone.red) | UInt32(tone.green) << 8
    let word = low | UInt32(tone.blue) << 16 | UInt32(tone.alpha) << 24
    UnsafeMutableRawPointer(out).assumingMemoryBound(to: UInt32.self)
        .update(repeating: word, count: count)
}

/// A bitmap of one colour.
///
/// - Throws: ``PixelError`` if the size is out of range or memory cannot be allocated.
package func solidColor(_ color: RGBA, size: PixelSize) throws(PixelError) -> Bitmap {
    try Bitmap(size: size, isOpaque: color.alpha == 255) { out, _ in
        fill(out, count: size.width * size.height, with: color)
    }
}
