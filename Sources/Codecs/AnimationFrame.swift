package import Pixels

/// One picture of an animation that is to be encoded.
package struct AnimationFrame: Sendable {
    /// The whole canvas.
    package var bitmap: Bitmap
    /// In seconds.
    package var delay: Double

    package init(bitmap: Bitmap, delay: Double) {
        self.bitmap = bitmap
        self.delay = delay
    }
}
