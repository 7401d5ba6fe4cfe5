package import FoundationEssentials

/// The quality and the variant of the format to write.
package struct EncodeOptions: Sendable {
    /// 0…1 for lossy formats; ignored by lossless ones.
    package var quality: Double
    /// Whether to write a progressive JPEG.
    package var isProgressive: Bool
    /// Whether to write lossless WebP, AVIF or JPEG XL.
    ///
    /// A lossy WebP of at most 256 colours is lossless, too, where this is smaller.
    package var isLossless: Bool
    /// How exact a lossless WebP is: 1 for all pixels, below with colours that are rounded where they
    /// vary, in steps of 0.2.
    package var precision: Double
    /// The work per pixel on the scale of the format's library: WebP from 0 (fastest) to 6
    /// (smallest), AVIF from 0 (smallest) to 10 (fastest); 0 is a PNG without filters and palette,
    /// for bytes that are soon decoded again.
    ///
    /// Nil for the encoder's default; other formats ignore it.
    package var effort: Int?
    /// The most colours of a PNG, 2…256, with error diffusion; nil for all.
    package var maxColorCount: Int?
    /// Whether JPEG and lossy AVIF have a quarter of the samples of colour.
    ///
    /// Nil for the encoder's rule: JPEG up to a quality of 0.9, AVIF below 0.95.
    package var subsamplesChroma: Bool?
    /// The ICC profile of the pixels; nil for sRGB.
    ///
    /// JPEG, PNG, WebP and AVIF embed it; other formats are refused.
    package var profile: Data?
    /// Asked between rows and frames whether the result is still wanted; nil if it always is.
    ///
    /// libavif and libjxl do not ask while they encode an image, which a caller can do in another
    /// process.
    package var isCancelled: (@Sendable () -> Bool)?

    package init(
        quality: Double = 0.8,
        isProgressive: Bool = false,
        isLossless: Bool = false,
        precision: Double = 1,
        effort: Int? = nil,
        maxColorCount: Int? = nil,
        subsamplesChroma: Bool? = nil,
        profile: Data? = nil,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) {
        self.quality = quality
        self.isProgressive = isProgressive
        self.isLossless = isLossless
        self.precision = precision
        self.effort = effort
        self.maxColorCount = maxColorCount
        self.subsamplesChroma = subsamplesChroma
        self.profile = profile
        self.isCancelled = isCancelled
    }

    /// - Throws: ``CodecError/cancelled`` if the result is not wanted any more.
    func check() throws(CodecError) {
        if isCancelled?() == true { throw .cancelled }
    }
}
