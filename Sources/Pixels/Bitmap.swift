/// A picture in memory: premultiplied RGBA, 8 bits a channel, rows from top to bottom.
///
/// A value that never changes once made; copies share the storage.
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

    /// Makes a bitmap of zeroed (transparent) pixels and lets `fill` write them.
    ///
    /// - Parameters:
    ///   - size: In pixels, 1…65,535 on each side.
    ///   - isOpaque: Promise that `fill` leaves every alpha at 255.
    ///   - fill: Gets the first byte and the number of bytes per row.
    /// - Throws: ``PixelError``, or what `fill` throws.
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

    /// Makes a bitmap with a body that cannot fail.
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

    /// Wraps storage that its maker has finished writing.
    package init(size: PixelSize, bytesPerRow: Int, isOpaque: Bool, storage: PixelStorage) {
        precondition(
            bytesPerRow >= size.width * Self.bytesPerPixel
                && storage.byteCount >= bytesPerRow * size.height,
            "the storage is smaller than the picture"
        )
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.isOpaque = isOpaque
        self.storage = storage
    }

    /// Zeroed storage for a picture of `size` without padding, checked against ``PixelLimits``.
    package static func allocate(_ size: PixelSize) throws(PixelError) -> PixelStorage {
        try PixelLimits.check(size)
        return try PixelStorage(byteCount: size.width * size.height * bytesPerPixel)
    }

    /// Lets `body` read the pixels; the pointer is valid during the call alone.
    package func withPixels<Result>(
        _ body: (_ pixels: UnsafePointer<UInt8>, _ bytesPerRow: Int) throws -> Result
    ) rethrows -> Result {
        try body(UnsafePointer(storage.base.assumingMemoryBound(to: UInt8.self)), bytesPerRow)
    }

    /// The premultiplied colour of one pixel.
    ///
    /// - Precondition: The point lies inside the picture.
    package subscript(x: Int, y: Int) -> RGBA {
        precondition((0..<width).contains(x) && (0..<height).contains(y), "outside the picture")
        let pixel = storage.base.advanced(by: y * bytesPerRow + x * Self.bytesPerPixel)
            .assumingMemoryBound(to: UInt8.self)
        return RGBA(red: pixel[0], green: pixel[1], blue: pixel[2], alpha: pixel[3])
    }
}

extension Bitmap: Equatable {
    /// Whether both pictures have the same size and the same pixels; padding does not count.
    package static func == (left: Bitmap, right: Bitmap) -> Bool {
        guard left.size == right.size else { return false }
        if left.storage === right.storage, left.bytesPerRow == right.bytesPerRow { return true }
        let rowBytes = left.width * bytesPerPixel
        return (0..<left.height).allSatisfy { row in
            let one = UnsafeRawBufferPointer(
                start: left.storage.base + row * left.bytesPerRow,
                count: rowBytes
            )
            let other = UnsafeRawBufferPointer(
                start: right.storage.base + row * right.bytesPerRow,
                count: rowBytes
            )
            return one.elementsEqual(other)
        }
    }
}
