#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cuts out the part of `rect` that lies inside the bitmap.
///
/// - Parameters:
///   - source: Any size.
///   - rect: In pixels; may reach beyond the bitmap.
/// - Returns: A new bitmap, or `source` itself if `rect` covers it.
/// - Throws: ``PixelError/emptySize(_:)`` if `rect` and the bitmap do not overlap,
///   ``PixelError/outOfMemory(bytes:)``.
package func crop(_ source: Bitmap, to rect: PixelRect) throws(PixelError) -> Bitmap {
    let part = rect.clamped.intersection(PixelRect(size: source.size))
    if part.size == source.size { return source }
    guard !part.isEmpty else { throw .emptySize(part.size) }
    return try Bitmap(size: part.size, isOpaque: source.isOpaque) { out, bytesPerRow in
        source.withPixels { pixels, stride in
            for y in 0..<part.height {
                let row = pixels + (part.y + y) * stride + part.x * Bitmap.bytesPerPixel
                memcpy(out + y * bytesPerRow, row, bytesPerRow)
            }
        }
    }
}

extension PixelRect {
    /// The rectangle with every number clamped, so that sums cannot overflow.
    fileprivate var clamped: PixelRect {
        let bound = 1 << 40
        func hold(_ value: Int) -> Int { max(-bound, min(bound, value)) }
        return PixelRect(x: hold(x), y: hold(y), width: hold(width), height: hold(height))
    }
}
