package import KFPixels

/// The target size, the limits and the treatment of truncated files.
package struct DecodeOptions: Sendable {
    /// The requested size in pixels of the displayed image (after orientation).
    package enum Target: Sendable, Hashable {
        /// The stored size.
        case full
        /// Fits inside the box: keeps the aspect ratio, never enlarges.
        case fit(PixelSize)
        /// Exactly this size: ignores the aspect ratio and enlarges if needed.
        case exact(PixelSize)
    }

    /// The treatment of a truncated file.
    package enum Truncation: Sendable {
        /// Throws ``CodecError/truncated(_:)``.
        case fails
        /// Returns the decoded rows, the rest transparent, marked by ``DecodedImage/isPartial``.
        case keepsPartial
    }

    /// The size of the result.
    ///
    /// Peak memory depends on the target and not on the file, except for formats that cannot be
    /// decoded by rows: progressive JPEG, interlaced PNG and GIF, lossless WebP, AVIF, HEIF, JPEG
    /// XL, and the frames of animations. Each decoder documents its memory.
    package var target: Target
    /// The part of the target that the result consists of, as far as it lies inside; nil for all of
    /// it.
    ///
    /// JPEG and PNG are decoded up to its last row only, so that a fault of the file below it is not
    /// found; JPEG decodes only the pixels that the part needs. The pixels are those of the whole
    /// target.
    package var part: PixelRect?
    package var limits: DecodeLimits
    package var truncation: Truncation
    /// Whether the caller resamples the result to half of its size or less, or prefers speed.
    ///
    /// The decoder's own scaling may then produce the target itself; otherwise a resampler makes it
    /// from at least twice its size.
    package var isReducedLater: Bool

    package init(
        target: Target = .full,
        part: PixelRect? = nil,
        limits: DecodeLimits = .default,
        truncation: Truncation = .fails,
        isReducedLater: Bool = false
    ) {
        self.target = target
        self.part = part
        self.limits = limits
        self.truncation = truncation
        self.isReducedLater = isReducedLater
    }

    /// The least ratio of the size that a decoder produces to the target.
    var margin: Int { isReducedLater ? 1 : 2 }
}

/// A decoded image, upright, in sRGB.
package struct DecodedImage: Sendable {
    package var bitmap: Bitmap
    package var info: ImageInfo
    /// Whether pixels are missing or coarse because the file ended early.
    ///
    /// Such an image never enters a cache.
    package var isPartial: Bool

    package init(bitmap: Bitmap, info: ImageInfo, isPartial: Bool = false) {
        self.bitmap = bitmap
        self.info = info
        self.isPartial = isPartial
    }
}
