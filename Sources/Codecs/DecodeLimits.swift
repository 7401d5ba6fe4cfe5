/// Bounds on what a decoder accepts, checked against the header before any memory is taken.
package struct DecodeLimits: Sendable, Hashable {
    /// Stored pixels of one frame.
    package var maxPixelCount: Int
    /// The longest stored side in pixels.
    package var maxDimension: Int
    package var maxFrameCount: Int
    /// Bytes of all decoded frames that are alive at once.
    package var maxAnimationBytes: Int
    /// Bytes of the encoded file.
    package var maxInputBytes: Int
    /// Bytes that a decoder may hold besides its output, such as a progressive JPEG's coefficients.
    package var maxWorkingBytes: Int

    package init(
        maxPixelCount: Int,
        maxDimension: Int,
        maxFrameCount: Int,
        maxAnimationBytes: Int,
        maxInputBytes: Int,
        maxWorkingBytes: Int
    ) {
        self.maxPixelCount = maxPixelCount
        self.maxDimension = maxDimension
        self.maxFrameCount = maxFrameCount
        self.maxAnimationBytes = maxAnimationBytes
        self.maxInputBytes = maxInputBytes
        self.maxWorkingBytes = maxWorkingBytes
    }

    /// 200 megapixels (the largest phone sensor), 32,767 a side, 10,000 frames, 512 MiB of frames,
    /// 256 MiB of file, 512 MiB of working memory (a progressive 200-megapixel 4:2:0 file needs
    /// more and is refused).
    package static let `default` = DecodeLimits(
        maxPixelCount: 200_000_000,
        maxDimension: 32_767,
        maxFrameCount: 10_000,
        maxAnimationBytes: 512 << 20,
        maxInputBytes: 256 << 20,
        maxWorkingBytes: 512 << 20
    )
}
