/// Why a bitmap cannot be created.
package enum PixelError: Error, Hashable, Sendable {
    /// A side is zero or negative.
    case emptySize(PixelSize)
    /// A side or the number of pixels is beyond ``PixelLimits``.
    case tooLarge(PixelSize)
    /// This number of bytes could not be allocated.
    case outOfMemory(bytes: Int)
}

/// Limits for every bitmap, whatever its creator allows.
package enum PixelLimits {
    /// The largest side in pixels: the maximum of JPEG, and small enough for exact `Int32` fixed
    /// point.
    package static let maxDimension = 65_535
    /// The largest number of pixels: 4 GiB of RGBA.
    package static let maxPixelCount = 1 << 30

    /// Checks that a bitmap of `size` is within the limits and the current ``PixelScope``.
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
