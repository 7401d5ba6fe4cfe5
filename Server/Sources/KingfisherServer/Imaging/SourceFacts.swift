import Foundation
@_spi(Programs) import Kingfisher

/// The properties of a source that decide how it is processed, read from its header.
struct SourceFacts: Sendable, Hashable {
    let format: ImageFormat
    /// The name of the format, such as `jpeg`.
    let formatName: String
    /// The size after applying the EXIF orientation.
    let size: Extent
    /// The EXIF orientation, 1…8.
    let orientation: Int
    /// 1 for still images, and for animations whose header does not state it.
    let frameCount: Int
    let hasAlpha: Bool
    let byteCount: Int

    /// Takes over a header.
    init(_ info: ImageFileInfo, byteCount: Int) {
        format = info.format
        formatName = info.formatName
        size = Extent(width: Double(info.size.width), height: Double(info.size.height))
        orientation = info.orientation
        frameCount = max(1, info.frameCount ?? 1)
        hasAlpha = info.hasAlpha
        self.byteCount = byteCount
    }

    /// Whether the source has lines instead of pixels, so that it is sharp in every size.
    var isDrawing: Bool { format == .SVG }

    /// The format of results that name none: that of the source, or JPEG or PNG if the source's
    /// format cannot be written.
    var ownFormat: OutputFormat {
        if let own = OutputFormat(format), own.isWritable { return own }
        return hasAlpha ? .png : .jpeg
    }
}

extension OutputFormat {
    /// The output format of the same name; nil for formats that are only read.
    init?(_ format: ImageFormat) {
        switch format {
        case .JPEG: self = .jpeg
        case .PNG: self = .png
        case .WebP: self = .webp
        case .AVIF: self = .avif
        case .GIF: self = .gif
        case .JXL: self = .jxl
        case .unknown, .HEIF, .TIFF, .SVG, .BMP, .ICO: return nil
        }
    }

    /// The library's name of the format.
    var imageFormat: ImageFormat {
        switch self {
        case .jpeg: .JPEG
        case .png: .PNG
        case .webp: .WebP
        case .avif: .AVIF
        case .gif: .GIF
        case .jxl: .JXL
        }
    }

    /// The largest side that a file of the format can have, in pixels.
    var largestSide: Int {
        switch self {
        // https://developers.google.com/speed/webp/faq#what_is_the_maximum_size_a_webp_image_can_be
        case .webp: 16_383
        case .jpeg, .gif: 65_535
        case .png, .avif, .jxl: 65_536
        }
    }

    /// The largest number of pixels that a file of the format can have; nil if its sides alone
    /// are limited.
    ///
    /// AVIF: the largest image in the levels of AV1. Decoders need not read larger ones, and libaom
    /// 3.6 writes some that no decoder reads. https://aomediacodec.github.io/av1-spec/#levels
    var largestPixelCount: Int? { self == .avif ? 35_651_584 : nil }

    /// Whether a file of the format can have a size.
    func holds(_ size: Extent) -> Bool {
        size.longestSide <= largestSide && size.pixelCount <= largestPixelCount ?? .max
    }

    /// - Throws: ``ServiceError`` 422 if no file of the format can have the size.
    func check(_ size: Extent) throws(ServiceError) {
        guard !holds(size) else { return }
        let most = largestPixelCount.map { " and \($0) in all" } ?? ""
        throw ServiceError(
            422,
            "The result is too large for \(rawValue)",
            "Ask for a smaller one",
            detail: "It has \(size) pixels; the format has at most \(largestSide) a side\(most)."
        )
    }

    /// Whether the format keeps transparency.
    var hasAlpha: Bool { self != .jpeg }

    /// Whether this program embeds colour profiles in files of the format.
    var holdsColorProfile: Bool {
        switch self {
        case .jpeg, .png, .webp, .avif: true
        case .gif, .jxl: false
        }
    }

    /// Whether this program writes animations of the format.
    var isAnimated: Bool {
        switch self {
        case .gif, .webp: true
        case .jpeg, .png, .avif, .jxl: false
        }
    }

    /// Whether the format ignores the quality.
    var isLossless: Bool { self == .png || self == .gif }

    /// Whether the library that writes the format is installed.
    var isWritable: Bool { imageFormat.missingLibrary == nil }
}

extension KFCrossPlatformImage {
    /// Encodes the image.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - quality: 1…100.
    ///   - isAnimated: Whether the image is an animation that was made in the format, whose file is
    ///     returned as it is. A still result is always encoded here: the file of its source, or one
    ///     that a worker sends in its place, is never passed on.
    ///   - isProgressive: Whether a JPEG is progressive.
    ///   - effort: See ``ImageEncoding/effort``.
    ///   - maxColorCount: See ``ImageEncoding/maxColorCount``.
    ///   - subsamplesChroma: See ``ImageEncoding/subsamplesChroma``.
    ///   - compression: How a WebP, AVIF or JPEG XL is compressed.
    /// - Returns: The file; nil if this build cannot write it.
    func encoded(
        as format: OutputFormat,
        quality: Int,
        isAnimated: Bool = false,
        isProgressive: Bool = false,
        effort: Int? = nil,
        maxColorCount: Int? = nil,
        subsamplesChroma: Bool? = nil,
        compression: Compression = .lossy
    ) -> Data? {
        if isAnimated, let file = kf.gifRepresentation(),
            file.kf.imageFormat == format.imageFormat
        {
            return file
        }
        let share = CGFloat(max(1, min(100, quality))) / 100
        var encoding: ImageEncoding =
            switch format {
            case .jpeg where isProgressive: .progressiveJPEG(quality: share)
            case .jpeg: .jpeg(quality: share)
            case .png: maxColorCount.map { .png(maxColorCount: $0) } ?? .png
            case .webp:
                switch compression {
                case .lossy: .webp(quality: share, effort: effort)
                case .nearLossless: .losslessWebP(quality: share, effort: effort)
                case .lossless: .losslessWebP(effort: effort)
                }
            case .avif where compression == .lossless: .losslessAVIF(speed: effort)
            case .avif: .avif(quality: share, speed: effort)
            case .gif: .gif
            case .jxl: compression == .lossless ? .losslessJXL : .jxl(quality: share)
            }
        if let subsamplesChroma { encoding = encoding.subsamplingChroma(subsamplesChroma) }
        let file = encoding.data(of: kf.still)
        // An encoder that this build lacks yields PNG.
        return file?.kf.imageFormat == format.imageFormat ? file : nil
    }
}
