public import Foundation

extension ServiceConfiguration {
    /// How images are processed and encoded.
    public struct Processing: Sendable {
        /// The largest source in megapixels.
        public var maximalMegapixels: Double = 50
        /// The most frames of an animation; later ones are left out.
        public var maximalAnimationFrames = 1
        /// The largest frame of an animation in megapixels; 0 for that of images.
        public var maximalFrameMegapixels: Double = 0
        /// The longest side of a result; 0 for no limit of its own.
        public var maximalResultDimension = 0
        /// The quality of formats that ``formatQuality`` does not have.
        public var quality = 80
        /// Qualities by format.
        public var formatQuality: [OutputFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
        /// Whether JPEGs are progressive.
        public var writesProgressiveJPEG = false
        /// Whether JPEGs have all samples of colour in all qualities, not only above 90.
        public var keepsChromaOfJPEG = false
        /// How WebPs are compressed.
        public var compressionOfWebP = Compression.lossy
        /// Whether AVIFs have exactly the pixels of the image; animations are lossy.
        public var isAVIFLossless = false
        /// Whether JPEG XLs have exactly the pixels of the image.
        public var isJXLLossless = false
        /// Whether AVIFs have a quarter of the samples of colour.
        public var subsamplingOfAVIF = ChromaSubsampling.auto
        /// The speed of encoding AVIF, from 0 (smallest) to 10 (fastest).
        public var speedOfAVIF = 8
        /// The effort of encoding WebP, from 0 (fastest) to 6 (smallest); animations use 4.
        public var effortOfWebP = 4
        /// Whether PNGs have at most ``maximalColorsOfPNG`` colours.
        public var quantizesPNG = false
        /// The most colours of a PNG, 2…256, if ``quantizesPNG``.
        public var maximalColorsOfPNG = 256
        /// Whether results have no Exif, XMP and IPTC.
        public var stripsMetadata = true
        /// Whether results without metadata keep the names of the author and of the owner of the
        /// rights.
        public var keepsCopyright = false
        /// Whether the colours of results are sRGB.
        public var stripsColorProfile = true
        /// Whether images are rotated by their metadata.
        public var rotatesAutomatically = true
        /// Whether JPEG and lossy WebP sources are scaled by their decoders alone, which takes less
        /// time and gives coarser results.
        public var prefersSpeed = false
        /// Whether sources that are SVG files are always drawn, not passed on without scripts and links.
        public var rasterizesDrawings = true
        /// Whether sources may be PDF documents, of which worker processes draw a page.
        public var readsDocuments = false
        /// Whether sources may be videos, of which worker processes decode a frame.
        public var readsVideos = false
        /// Whether the part that is there of a source that ends early is drawn; its results are not
        /// kept.
        public var acceptsTruncatedSources = false
        /// Whether the quality is found by measuring where the URL does not say how.
        public var autoQualityMethod = AutoQualityMethod.none
        /// The largest distance of ``AutoQualityMethod/dssim``, or bytes of ``AutoQualityMethod/size``.
        public var autoQualityTarget = 0.02
        /// The lowest quality of a search.
        public var lowestAutoQuality = 70
        /// The highest quality of a search.
        public var highestAutoQuality = 80
        /// The lowest qualities of a search, by format.
        public var lowestAutoQualities: [OutputFormat: Int] = [:]
        /// The highest qualities of a search, by format.
        public var highestAutoQualities: [OutputFormat: Int] = [:]
        /// When results are sharpened by a mask; the values of imgproxy for the others.
        public var unsharpMode = UnsharpMode.none
        /// The weight of each neighbour in the mask.
        public var unsharpWeight = 1.0
        /// What the weights are divided by.
        public var unsharpDivider = 24.0
        /// The accepted deviation from ``autoQualityTarget``.
        public var autoQualityError = 0.001
        /// The file of the watermark.
        public var watermarkData: Data?
        /// The path of the watermark's file.
        public var watermarkPath: String?
        /// The address of the watermark.
        public var watermarkURL: URL?
        /// The factor of the watermark's opacity.
        public var watermarkOpacity: Double = 1

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init(
                "IMGPROXY_MAX_SRC_RESOLUTION",
                \.processing.maximalMegapixels,
                .number(0.01...10_000),
                .results
            ),
            .init(
                "IMGPROXY_MAX_ANIMATION_FRAMES",
                \.processing.maximalAnimationFrames,
                .integer(1...100_000),
                .results
            ),
            .init(
                "IMGPROXY_MAX_ANIMATION_FRAME_RESOLUTION",
                \.processing.maximalFrameMegapixels,
                .number(0...10_000),
                .results
            ),
            .init(
                "IMGPROXY_MAX_RESULT_DIMENSION",
                \.processing.maximalResultDimension,
                .integer(0...1_000_000),
                .results
            ),
            .init("IMGPROXY_QUALITY", \.processing.quality, .integer(1...100), .results),
            .init(
                "IMGPROXY_FORMAT_QUALITY",
                \.processing.formatQuality,
                .formatQualities,
                .results
            ),
            .init("IMGPROXY_JPEG_PROGRESSIVE", \.processing.writesProgressiveJPEG, .flag, .results),
            .init("IMGPROXY_JPEG_NO_SUBSAMPLE", \.processing.keepsChromaOfJPEG, .flag, .results),
            .init("IMGPROXY_WEBP_COMPRESSION", \.processing.compressionOfWebP, .word, .results),
            .init("KF_AVIF_LOSSLESS", \.processing.isAVIFLossless, .flag, .results),
            .init("KF_JXL_LOSSLESS", \.processing.isJXLLossless, .flag, .results),
            .init("IMGPROXY_AVIF_SUBSAMPLE", \.processing.subsamplingOfAVIF, .word, .results),
            .init("IMGPROXY_AVIF_SPEED", \.processing.speedOfAVIF, .integer(0...10), .results),
            .init("IMGPROXY_WEBP_EFFORT", \.processing.effortOfWebP, .integer(0...6), .results),
            .init("IMGPROXY_PNG_QUANTIZE", \.processing.quantizesPNG, .flag, .results),
            .init(
                "IMGPROXY_PNG_QUANTIZATION_COLORS",
                \.processing.maximalColorsOfPNG,
                .integer(2...256),
                .results
            ),
            .init("IMGPROXY_STRIP_METADATA", \.processing.stripsMetadata, .flag, .results),
            .init("IMGPROXY_KEEP_COPYRIGHT", \.processing.keepsCopyright, .flag, .results),
            .init("IMGPROXY_STRIP_COLOR_PROFILE", \.processing.stripsColorProfile, .flag, .results),
            .init("IMGPROXY_AUTO_ROTATE", \.processing.rotatesAutomatically, .flag, .results),
            .init(
                "IMGPROXY_AUTOQUALITY_METHOD",
                \.processing.autoQualityMethod,
                .word,
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_TARGET",
                \.processing.autoQualityTarget,
                .number(0...1e12),
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_MIN",
                \.processing.lowestAutoQuality,
                .integer(1...100),
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_MAX",
                \.processing.highestAutoQuality,
                .integer(1...100),
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_ALLOWED_ERROR",
                \.processing.autoQualityError,
                .number(0...1),
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_FORMAT_MIN",
                \.processing.lowestAutoQualities,
                .formatQualities,
                .results
            ),
            .init(
                "IMGPROXY_AUTOQUALITY_FORMAT_MAX",
                \.processing.highestAutoQualities,
                .formatQualities,
                .results
            ),
            .init("IMGPROXY_UNSHARP_MASKING_MODE", \.processing.unsharpMode, .word, .results),
            .init(
                "IMGPROXY_UNSHARP_MASKING_WEIGHT",
                \.processing.unsharpWeight,
                .number(0.001...1000),
                .results
            ),
            .init(
                "IMGPROXY_UNSHARP_MASKING_DIVIDER",
                \.processing.unsharpDivider,
                .number(0.001...100_000),
                .results
            ),
            .init("KF_PREFER_SPEED", \.processing.prefersSpeed, .flag, .results),
            .init(
                "IMGPROXY_ALWAYS_RASTERIZE_SVG",
                \.processing.rasterizesDrawings,
                .flag,
                .results
            ),
            .init("KF_PDF", \.processing.readsDocuments, .flag, .results),
            .init("KF_VIDEO", \.processing.readsVideos, .flag, .results),
            .init("KF_ACCEPT_TRUNCATED", \.processing.acceptsTruncatedSources, .flag, .results),
            .init("IMGPROXY_WATERMARK_DATA", \.processing.watermarkData, .base64, .results),
            .init("IMGPROXY_WATERMARK_PATH", \.processing.watermarkPath, .text, .results),
            .init("IMGPROXY_WATERMARK_URL", \.processing.watermarkURL, .webAddress, .results),
            .init(
                "IMGPROXY_WATERMARK_OPACITY",
                \.processing.watermarkOpacity,
                .number(0...1),
                .results
            ),
        ]
    }

    /// How the quality of a result is found.
    public enum AutoQualityMethod: String, Sendable, CaseIterable {
        /// The configured quality is used.
        case none
        /// The lowest quality is used whose result is similar enough.
        case dssim
        /// The highest quality is used whose result is small enough.
        case size
    }

    /// When results are sharpened by a mask.
    public enum UnsharpMode: String, Sendable, CaseIterable {
        /// Only where the URL says so.
        case none
        /// If they are scaled down and not sharpened otherwise.
        case auto
        /// Always.
        case always
    }

    /// How a format is chosen for a client.
    public struct Negotiation: Sendable {
        /// The formats to choose from where the URL names none; empty for the source's own.
        public var preferredFormats: [OutputFormat] = []
        /// Sources of these formats are passed on as they are.
        public var skippedFormats: [OutputFormat] = []
        /// Whether WebP is chosen for clients that accept it, where the URL names no format.
        public var prefersWebP = false
        /// Whether WebP is chosen for clients that accept it, even if the URL names another format.
        public var enforcesWebP = false
        /// Whether AVIF is chosen for clients that accept it, where the URL names no format.
        public var prefersAVIF = false
        /// Whether AVIF is chosen for clients that accept it, even if the URL names another format.
        public var enforcesAVIF = false
        /// Whether JPEG XL is chosen for clients that accept it, where the URL names no format.
        public var prefersJXL = false
        /// Whether JPEG XL is chosen for clients that accept it, even if the URL names another format.
        public var enforcesJXL = false
        /// Whether widths and pixel ratios in requests are respected.
        public var usesClientHints = false

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init(
                "IMGPROXY_PREFERRED_FORMATS",
                \.negotiation.preferredFormats,
                .list(of: .format),
                .results
            ),
            .init(
                "IMGPROXY_SKIP_PROCESSING_FORMATS",
                \.negotiation.skippedFormats,
                .list(of: .format),
                .results
            ),
            .init("IMGPROXY_AUTO_WEBP", \.negotiation.prefersWebP, .flag, .answers),
            .init("IMGPROXY_ENFORCE_WEBP", \.negotiation.enforcesWebP, .flag, .answers),
            .init("IMGPROXY_AUTO_AVIF", \.negotiation.prefersAVIF, .flag, .answers),
            .init("IMGPROXY_ENFORCE_AVIF", \.negotiation.enforcesAVIF, .flag, .answers),
            .init("IMGPROXY_AUTO_JXL", \.negotiation.prefersJXL, .flag, .answers),
            .init("IMGPROXY_ENFORCE_JXL", \.negotiation.enforcesJXL, .flag, .answers),
            .init("IMGPROXY_ENABLE_CLIENT_HINTS", \.negotiation.usesClientHints, .flag, .answers),
        ]
    }
}
