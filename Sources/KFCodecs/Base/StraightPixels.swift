import KFPixels

/// The pixels of a bitmap with straight alpha, as encoders expect them.
///
/// The pixels of an opaque bitmap are shared without a copy.
struct StraightPixels {
    let base: UnsafeMutablePointer<UInt8>
    let bytesPerRow: Int
    // Keeps the memory alive.
    private let storage: PixelStorage

    init(_ bitmap: Bitmap) throws(CodecError) {
        guard !bitmap.isOpaque else {
            storage = bitmap.storage
            bytesPerRow = bitmap.bytesPerRow
            base = bitmap.storage.base.assumingMemoryBound(to: UInt8.self)
            return
        }
        bytesPerRow = bitmap.width * Bitmap.bytesPerPixel
        storage = try .forEncoding(bytesPerRow * bitmap.height)
        base = storage.base.assumingMemoryBound(to: UInt8.self)
        for y in 0..<bitmap.height {
            let source = bitmap.storage.base + y * bitmap.bytesPerRow
            unpremultiplyRow(
                from: source.assumingMemoryBound(to: UInt8.self),
                to: base + y * bytesPerRow,
                width: bitmap.width
            )
        }
    }
}
