import KFPixels

/// Rows of premultiplied RGBA into which a reader writes a frame.
///
/// They may be part of a larger bitmap.
struct FrameSurface {
    let base: UnsafeMutableRawPointer
    /// Bytes from the start of one row to the next.
    let bytesPerRow: Int
    let size: PixelSize

    /// Bytes from the first pixel to the end of the last.
    var byteCount: Int { bytesPerRow * (size.height - 1) + rowBytes }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        (base + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    /// Makes all pixels transparent.
    func clear() {
        for y in 0..<size.height { row(y).update(repeating: 0, count: rowBytes) }
    }

    /// Copies a bitmap of the same size.
    func copy(_ bitmap: Bitmap) {
        for y in 0..<min(size.height, bitmap.height) {
            (base + y * bytesPerRow).copyMemory(
                from: bitmap.storage.base + y * bitmap.bytesPerRow,
                byteCount: min(size.width, bitmap.width) * Bitmap.bytesPerPixel
            )
        }
    }

    private var rowBytes: Int { size.width * Bitmap.bytesPerPixel }
}

extension FrameSurface {
    /// A surface that covers a whole bitmap.
    init(_ storage: PixelStorage, _ size: PixelSize) {
        self.init(
            base: storage.base,
            bytesPerRow: size.width * Bitmap.bytesPerPixel,
            size: size
        )
    }
}
