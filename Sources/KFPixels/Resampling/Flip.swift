/// Mirrors the bitmap left to right.
///
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func flipHorizontally(_ source: Bitmap) throws(PixelError) -> Bitmap {
    try reorient(source, .upMirrored)
}

/// Mirrors the bitmap top to bottom.
///
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func flipVertically(_ source: Bitmap) throws(PixelError) -> Bitmap {
    try reorient(source, .downMirrored)
}
