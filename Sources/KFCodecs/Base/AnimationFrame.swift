package import KFPixels

/// One frame of an animation to encode.
package struct AnimationFrame: Sendable {
    /// Covers the whole canvas.
    package var bitmap: Bitmap
    /// The display time in seconds.
    package var delay: Double

    package init(bitmap: Bitmap, delay: Double) {
        self.bitmap = bitmap
        self.delay = delay
    }
}
