import Foundation

/// The configuration of an ``ImageRenderer``.
struct RendererSettings: Sendable {
    /// The quality for formats without one of their own, 1…100.
    var quality = 80
    /// The quality of single formats, 1…100.
    var formatQuality: [OutputFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// Whether JPEGs are progressive: at equal quality 6 % smaller, for five times the time to encode.
    var isProgressive = false
    /// The work per pixel by format, on the scale of ``ImageEncoding/effort``.
    var efforts: [OutputFormat: Int] = [:]
    /// Whether JPEG and AVIF have a quarter of the samples of colour unless the URL says otherwise.
    var subsampling: [OutputFormat: ChromaSubsampling] = [:]
    /// How WebP, AVIF and JPEG XL are compressed unless the URL says otherwise.
    var compression: [OutputFormat: Compression] = [:]
    /// The most colours of PNGs, 2…256; nil for all.
    var maxColorCount: Int?
    /// The most colours of PNGs that a URL wants reduced without a number of its own.
    var usualColorCount = 256
    /// The mask of results whose URL names none; nil for none.
    var unsharpMask: ProcessingOptions.UnsharpMask?
    /// The values of `autoquality` that a URL leaves open.
    var autoQuality = AutoQualityDefaults()
    /// Whether the EXIF orientation is applied unless the URL says otherwise.
    var autoRotate = true
    /// Whether results have no metadata unless the URL says otherwise.
    var stripsMetadata = true
    /// Whether results without metadata keep the names of the author and the owner of the rights
    /// unless the URL says otherwise.
    var keepsCopyright = false
    /// Whether pixels are converted to sRGB unless the URL says otherwise.
    var stripsColorProfile = true
    /// The limits of sources and results that a URL leaves open.
    var limits = RenderLimits()
    /// Whether a URL may set limits.
    var allowsLimitsInURL = false
    /// Whether decoders may scale on their own; see ``ResizingImageProcessor/prefersSpeed``.
    var prefersSpeed = false
    /// Whether sources may be PDF documents.
    var readsDocuments = false
    /// Whether sources may be videos.
    var readsVideos = false
    /// Whether sources may end early.
    var acceptsTruncated = false
    /// Whether files are decoded in worker processes.
    var isIsolated = true
    /// The file of the configured watermark; nil for none.
    var watermark: Data?
    /// The factor of the watermark's opacity, 0…1.
    var watermarkOpacity: Double = 1

    /// The default configuration.
    init() {}

    /// The search for the lowest quality.
    struct AutoQualityDefaults: Sendable, Hashable {
        /// The search of requests that name none.
        var method = ProcessingOptions.AutoQuality.Method.none
        var target = 0.02
        var minimum = 70
        var maximum = 80
        /// Lowest and highest qualities of single formats.
        var minimums: [OutputFormat: Int] = [:]
        var maximums: [OutputFormat: Int] = [:]
        var allowedError = 0.001

        /// The values of imgproxy.
        init() {}
    }

    /// The most colours of a PNG; nil for all.
    func colorCount(_ options: ProcessingOptions) -> Int? {
        guard options.quantizes ?? (maxColorCount != nil) else { return nil }
        return options.maximalColors ?? maxColorCount ?? usualColorCount
    }

    /// The quality for a format, as configured or as the URL says.
    func quality(of format: OutputFormat, _ options: ProcessingOptions) -> Int {
        let wanted =
            options.formatQuality[format] ?? options.quality ?? formatQuality[format] ?? quality
        return max(1, min(100, wanted))
    }

    /// The limits of a request.
    func limits(_ options: ProcessingOptions) -> RenderLimits {
        var limits = allowsLimitsInURL ? limits.overridden(by: options.limits) : limits
        if options.disablesAnimation { limits.animationFrames = 1 }
        return limits
    }
}

/// The limits of sources and results.
struct RenderLimits: Sendable, Hashable {
    /// The largest source in megapixels; 0 for none of its own.
    var megapixels: Double = 50
    /// The largest source file in bytes; nil for none.
    var fileSize: Int?
    /// The number of frames that are processed; 1 makes stills of animations.
    var animationFrames = 1
    /// The largest frame of an animation in megapixels; 0 for ``megapixels``.
    var frameMegapixels: Double = 0
    /// The limits of results.
    var result = ResultBounds()

    /// The default limits.
    init() {}

    fileprivate func overridden(by url: ProcessingOptions.Limits) -> RenderLimits {
        var limits = self
        limits.megapixels = url.megapixels ?? megapixels
        limits.fileSize = url.fileSize ?? fileSize
        limits.animationFrames = url.animationFrames ?? animationFrames
        limits.frameMegapixels = url.frameMegapixels ?? frameMegapixels
        limits.result.dimension = url.resultDimension ?? result.dimension
        return limits
    }

    /// Checks a source before it is decoded.
    ///
    /// - Throws: ``ServiceError`` 422.
    func check(_ source: SourceFacts) throws(ServiceError) {
        if let fileSize, fileSize > 0, source.byteCount > fileSize {
            throw ServiceError(
                422,
                "The source file is too large",
                "Name a smaller one",
                detail: "It has \(source.byteCount) bytes; at most \(fileSize) are allowed."
            )
        }
        let isAnimated = source.frameCount > 1 && animationFrames > 1
        let most = isAnimated && frameMegapixels > 0 ? frameMegapixels : megapixels
        guard most > 0, Double(source.size.pixelCount) > most * 1_000_000 else { return }
        throw ServiceError(
            422,
            "The source image is too large",
            "Name a smaller one",
            detail: "It has \(source.size) pixels; at most \(most) megapixels are allowed."
        )
    }
}
