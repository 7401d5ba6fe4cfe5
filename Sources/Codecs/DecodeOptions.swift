package import Pixels

/// How to decode: to which size, under which limits, and what to do with damage.
package struct DecodeOptions: Sendable {
    /// The size wanted, in pixels of the picture as it is seen (after orientation).
    package enum Target: Sendable, Hashable {
        /// As stored.
        case full
        /// Inside the box, ratio kept, never enlarged.
        case fit(PixelSize)
        /// Exactly this size, ratio not kept, enlarged when needed.
        case exact(PixelSize)
    }

    /// What becomes of a file that ends too early.
    package enum Truncation: Sendable {
        /// ``CodecError/truncated(_:)``.
        case fails
        /// What was decoded, the rest blank, marked with ``DecodedImage/isPartial``.
        case keepsPartial
    }

    /// Peak memory follows the target and not the file, but for formats that cannot be decoded by
    /// rows: progressive JPEG, interlaced PNG and GIF, lossless WebP, AVIF, HEIF, JPEG XL, and the
    /// frames of animations; each decoder says what it holds.
    package var target: Target
    package var limits: DecodeLimits
    package var truncation: Truncation

    package init(
        target: Target = .full,
        limits: DecodeLimits = .default,
        truncation: Truncation = .fails
    ) {
        self.target = target
        self.limits = limits
        self.truncation = truncation
    }
}

/// A decoded picture, upright, in sRGB.
package struct DecodedImage: Sendable {
    package var bitmap: Bitmap
    package var info: ImageInfo
    /// Whether rows are missing because the file ended early.
    ///
    /// Such a picture never enters a cache.
    package var isPartial: Bool

    package init(bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false) {
        self.bitmap = bitmap
        self.info = info
        self.isPartial = isPartial
    }
}
