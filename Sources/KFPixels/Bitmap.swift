#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A bitmap in memory: premultiplied RGBA in sRGB, 8 bits per channel, rows from top to bottom.
///
/// An immutable value; copies share the storage.
package struct Bitmap: Sendable {
    package let size: PixelSize
    /// Bytes from the start of one row to the next, at least `width × 4`.
    package let bytesPerRow: Int
    /// Whether every alpha is known to be 255.
    package let isOpaque: Bool
    package let storage: PixelStorage

    package static let bytesPerPixel = 4

    package var width: Int { size.width }
    package var height: Int { size.height }
    package var byteCount: Int { bytesPerRow * height }

    /// Creates a bitmap of zeroed (transparent) pixels and calls `fill` to write them.
    ///
    /// - Parameters:
    ///   - size: In pixels, 1…65,535 on each side.
    ///   - isOpaque: A promise that `fill` leaves every alpha at 255.
    ///   - fill: Receives the first byte and the number of bytes per row.
    /// - Throws: ``PixelError``, or the error of `fill`.
    package init<Failure: Error>(
        size: PixelSize,
        isOpaque: Bool,
        fill: (_ pixels: UnsafeMutablePointer<UInt8>, _ bytesPerRow: Int) throws(Failure) -> Void
    ) throws {
        let storage = try Self.allocate(size)
        let bytesPerRow = size.width * Self.bytesPerPixel
        try fill(storage.base.assumingMemoryBound(to: UInt8.self), bytesPerRow)
        self.init(size: size, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Creates a bitmap with a `fill` that cannot fail.
    ///
    /// - Throws: ``PixelError``.
    package init(
        size: PixelSize,
        isOpaque: Bool,
        filling fill: (_ pixels: UnsafeMutablePointer<UInt8>, _ bytesPerRow: Int) -> Void
    ) throws(PixelError) {
        let storage = try Self.allocate(size)
        let bytesPerRow = size.width * Self.bytesPerPixel
        fill(storage.base.assumingMemoryBound(to: UInt8.self), bytesPerRow)
        self.init(size: size, bytesPerRow: bytesPerRow, isOpaque: isOpaque, storage: storage)
    }

    /// Wraps storage that is completely written.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - bytesPerRow: At least `width × 4`.
    ///   - isOpaque: A promise that every alpha is 255.
    ///   - storage: At least `bytesPerRow × height` bytes of premultiplied RGBA.
    package init(size: PixelSize, bytesPerRow: Int, isOpaque: Bool, storage: PixelStorage) {
        precondition(
            bytesPerRow >= size.width * Self.bytesPerPixel
                && storage.byteCount >= bytesPerRow * size.height,
            "the storage is smaller than the bitmap"
        )
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.isOpaque = isOpaque
        self.storage = storage
    }

    /// Allocates zeroed storage for a bitmap of `size` without padding.
    ///
    /// - Throws: ``PixelError`` if `size` is beyond ``PixelLimits`` or the current ``PixelScope``,
    ///   or memory cannot be allocated.
    package static func allocate(_ size: PixelSize) throws(PixelError) -> PixelStorage {
        try PixelLimits.check(size)
        return try PixelStorage(byteCount: size.width * size.height * bytesPerPixel)
    }

    /// Calls `body` with the pixels.
    ///
    /// The pointer is valid only during the call.
    package func withPixels<Result>(
        _ body: (_ pixels: UnsafePointer<UInt8>, _ bytesPerRow: Int) throws -> Result
    ) rethrows -> Result {
        try body(UnsafePointer(storage.base.assumingMemoryBound(to: UInt8.self)), bytesPerRow)
    }

    /// The premultiplied colour of one pixel.
    ///
    /// - Precondition: The point lies inside the bitmap.
    package subscript(x: Int, y: Int) -> RGBA {
        precondition((0..<width).contains(x) && (0..<height).contains(y), "outside the bitmap")
        let pixel = storage.base.advanced(by: y * bytesPerRow + x * Self.bytesPerPixel)
            .assumingMemoryBound(to: UInt8.self)
        return RGBA(red: pixel[0], green: pixel[1], blue: pixel[2], alpha: pixel[3])
    }
}

extension Bitmap: Equatable {
    /// Whether both bitmaps have the same size and the same pixels, regardless of padding.
    package static func == (left: Bitmap, right: Bitmap) -> Bool {
        guard left.size == right.size else { return false }
        if left.storage === right.storage, left.bytesPerRow == right.bytesPerRow { return true }
        return (0..<left.height).allSatisfy { left.hasEqualRow($0, in: right) }
    }

    /// Whether a row has the same pixels in another bitmap of this width.
    package func hasEqualRow(_ y: Int, in other: Bitmap) -> Bool {
        memcmp(
            storage.base + y * bytesPerRow,
            other.storage.base + y * other.bytesPerRow,
            width * Self.bytesPerPixel
        ) == 0
    }
}
