public import Foundation
import KFPixels

extension KFCrossPlatformImage {
    /// Makes an image from premultiplied RGBA pixels, 8 bits per channel, rows from top to bottom.
    ///
    /// Nil if a side is out of range or the number of bytes does not match the size.
    ///
    /// - Parameters:
    ///   - premultipliedRGBA: `width × height × 4` bytes without padding. A colour channel greater
    ///     than its alpha is lowered to it.
    ///   - width: In pixels, 1…65,535.
    ///   - height: In pixels, 1…65,535.
    ///   - scale: Pixels per point.
    public convenience init?(
        premultipliedRGBA: Data,
        width: Int,
        height: Int,
        scale: CGFloat = 1
    ) {
        let size = PixelSize(width: width, height: height)
        guard let count = size.pixelCount, premultipliedRGBA.count == size.byteCount else {
            return nil
        }
        var isOpaque = true
        // Nil is the documented result for an invalid size.
        let bitmap = try? Bitmap(size: size, isOpaque: false) { target, _ in
            premultipliedRGBA.withUnsafeBytes { source in
                for pixel in stride(from: 0, to: count * 4, by: 4) {
                    let alpha = source[pixel + 3]
                    if alpha != 255 { isOpaque = false }
                    target[pixel] = min(source[pixel], alpha)
                    target[pixel + 1] = min(source[pixel + 1], alpha)
                    target[pixel + 2] = min(source[pixel + 2], alpha)
                    target[pixel + 3] = alpha
                }
            }
        }
        guard let bitmap else { return nil }
        self.init(
            bitmap: Bitmap(
                size: size,
                bytesPerRow: bitmap.bytesPerRow,
                isOpaque: isOpaque,
                storage: bitmap.storage
            ),
            scale: scale
        )
    }

    /// Calls `body` with the premultiplied RGBA pixels, rows from top to bottom.
    ///
    /// - Parameter body: Receives the bytes, which are valid only during the call, and the number
    ///   of bytes per row. An empty image has no bytes.
    /// - Returns: The result of `body`.
    public func withPremultipliedRGBA<Result>(
        _ body: (_ pixels: UnsafeRawBufferPointer, _ bytesPerRow: Int) throws -> Result
    ) rethrows -> Result {
        guard let bitmap else { return try body(UnsafeRawBufferPointer(start: nil, count: 0), 0) }
        return try bitmap.withPixels { pixels, bytesPerRow in
            try body(
                UnsafeRawBufferPointer(start: pixels, count: bitmap.byteCount),
                bytesPerRow
            )
        }
    }
}
