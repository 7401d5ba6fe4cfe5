/// Limits for decoding, checked against the header before any memory is allocated.
package struct DecodeLimits: Sendable, Hashable {
    /// Pixels of a frame that is decoded whole, and of every result.
    package var maxPixelCount: Int
    /// The longest side of such a frame in pixels.
    package var maxDimension: Int
    /// Stored pixels of an image that is scaled down while its rows are decoded.
    ///
    /// Memory depends on the result then, so this limit bounds the time.
    package var maxReducedPixelCount: Int
    package var maxFrameCount: Int
    /// Bytes of all decoded frames that exist at once.
    package var maxAnimationBytes: Int
    /// Bytes of the encoded file.
    package var maxInputBytes: Int
    /// Bytes that a decoder may hold besides its output, such as a progressive JPEG's coefficients.
    package var maxWorkingBytes: Int

    package init(
        maxPixelCount: Int,
        maxDimension: Int,
        maxReducedPixelCount: Int? = nil,
        maxFrameCount: Int,
        maxAnimationBytes: Int,
        maxInputBytes: Int,
        maxWorkingBytes: Int
    ) {
        self.maxPixelCount = maxPixelCount
        self.maxDimension = maxDimension
        self.maxReducedPixelCount = maxReducedPixelCount ?? maxPixelCount
        self.maxFrameCount = maxFrameCount
        self.maxAnimationBytes = maxAnimationBytes
        self.maxInputBytes = maxInputBytes
        self.maxWorkingBytes = maxWorkingBytes
    }

    /// 200 megapixels (the largest phone sensor) and 32,767 per side, or 400 megapixels and 65,535
    /// per side if scaled down by rows; 10,000 frames; 512 MiB of frames; 256 MiB of input; 512 MiB
    /// of working memory (a progressive 200-megapixel 4:2:0 file needs more and is rejected).
    package static let `default` = DecodeLimits(
        maxPixelCount: 200_000_000,
        maxDimension: 32_767,
        maxReducedPixelCount: 400_000_000,
        maxFrameCount: 10_000,
        maxAnimationBytes: 512 << 20,
        maxInputBytes: 256 << 20,
        maxWorkingBytes: 512 << 20
    )
}
