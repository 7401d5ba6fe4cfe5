/// The quality and the variant of the format to write.
package struct EncodeOptions: Sendable {
    /// 0…1 for lossy formats; ignored by lossless ones.
    package var quality: Double
    /// Whether to write a progressive JPEG.
    package var isProgressive: Bool
    /// Whether to write lossless WebP, AVIF or JPEG XL.
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
