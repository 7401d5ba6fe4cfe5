/// Why a raster cannot be made.
package enum PixelError: Error, Hashable, Sendable {
    /// A side is zero or negative.
    case emptySize(PixelSize)
    /// A side or the number of pixels is beyond ``PixelLimits``.
    case tooLarge(PixelSize)
    /// The system gave no memory for so many bytes.
    case outOfMemory(bytes: Int)
}

/// Bounds that hold for every raster, whatever its maker allows.
package enum PixelLimits {
    /// The largest side in pixels: what JPEG can store, and what keeps `Int32` fixed point exact.
    package static let maxDimension = 65_535
    /// The largest number of pixels: 4 GiB of RGBA.
    package static let maxPixelCount = 1 << 30

    /// Makes sure that a picture of `size` may exist.
    ///
    /// - Throws: ``PixelError/emptySize(_:)`` or ``PixelError/tooLarge(_:)``.
    package static func check(_ size: PixelSize) throws(PixelError) {
        guard !size.isEmpty else { throw .emptySize(size) }
        guard size.longestSide <= maxDimension, let count = size.pixelCount, count <= maxPixelCount
        else {
            PixelScope.refuse(size)
            throw .tooLarge(size)
        }
        try PixelScope.check(size)
    }
}
