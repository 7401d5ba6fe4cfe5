/// How to encode.
package struct EncodeOptions: Sendable {
    /// 0…1 for lossy formats; ignored by lossless ones.
    package var quality: Double
    /// Progressive JPEG.
    package var isProgressive: Bool
    /// Lossless WebP or AVIF.
    package var isLossless: Bool

    package init(
        quality: Double = 0.8,
        isProgressive: Bool = false,
        isLossless: Bool = false
    ) {
        self.quality = quality
        self.isProgressive = isProgressive
        self.isLossless = isLossless
    }
}
