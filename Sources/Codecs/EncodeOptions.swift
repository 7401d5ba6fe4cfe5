/// How to encode.
package struct EncodeOptions: Sendable {
    /// 0…1 for lossy formats; ignored by lossless ones.
    package var quality: Double
    /// Progressive JPEG.
    package var isProgressive: Bool
    /// Deflate effort 0…12 for PNG (libdeflate's scale), 1 the fastest that compresses; nil for what
    /// suits the picture, in a seventh of libpng's time for photographs and a third for drawings.
    package var compressionLevel: Int?
    /// Lossless WebP or AVIF.
    package var isLossless: Bool

    package init(
        quality: Double = 0.8,
        isProgressive: Bool = false,
        compressionLevel: Int? = nil,
        isLossless: Bool = false
    ) {
        self.quality = quality
        self.isProgressive = isProgressive
        self.compressionLevel = compressionLevel
        self.isLossless = isLossless
    }
}
