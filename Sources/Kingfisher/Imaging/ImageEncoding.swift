public import Foundation
import KFCodecs
import Synchronization

/// A format with an encoding quality.
///
/// ```swift
/// let result = try await KingfisherManager.shared.retrieveData(
///     with: url,
///     options: [.processor(DownsamplingImageProcessor(size: size))],
///     as: .webp(quality: 0.8)
/// )
/// ```
public struct ImageEncoding: Sendable, Hashable {
    /// The format.
    public let format: ImageFormat

    /// 0 (smallest) to 1 (best); ignored by lossless formats, except by lossless WebP.
    public let quality: CGFloat

    /// Whether a JPEG is progressive: shown coarsely before all of it is loaded.
    public let isProgressive: Bool

    /// The work per pixel on the scale of the format's library; nil for the default.
    ///
    /// See ``webp(quality:effort:)`` and ``avif(quality:speed:)``.
    public let effort: Int?

    /// The most colours of a PNG, 2…256; nil for all that the image has.
    public let maxColorCount: Int?

    /// Whether a JPEG or AVIF has a quarter of the samples of colour; nil for the encoder's rule.
    ///
    /// See ``subsamplingChroma(_:)``.
    public private(set) var subsamplesChroma: Bool?

    /// Whether a WebP is lossless; see ``losslessWebP(quality:effort:)``.
    public var isLosslessWebP: Bool { format == .WebP && isVariantLossless }

    /// Whether this is the lossless variant of WebP, AVIF or JPEG XL.
    let isVariantLossless: Bool

    private init(
        _ format: ImageFormat,
        _ quality: CGFloat = 1,
        isProgressive: Bool = false,
        effort: Int? = nil,
        maxColorCount: Int? = nil,
        isVariantLossless: Bool = false
    ) {
        self.format = format
        self.isVariantLossless = isVariantLossless
        self.isProgressive = isProgressive
        self.effort = effort
        self.maxColorCount = maxColorCount
        // Steps of one hundredth are fine enough and keep identifiers short.
        self.quality = quality.isNaN ? 1 : (min(1, max(0, quality)) * 100).rounded() / 100
    }

    /// PNG, lossless.
    public static let png = ImageEncoding(.PNG)

    /// PNG with a palette: usually a third of the bytes, and fewer for drawings.
    ///
    /// Colours are reduced by cuts where the squared error is least (Wu 1991), k-means (Lloyd 1982)
    /// and error diffusion (Floyd and Steinberg 1976), partly transparent ones too. An image that is
    /// smaller with all its colours keeps them.
    /// Takes about twice the time of ``png``, which itself uses a palette for images of at most 256
    /// colours.
    ///
    /// - Parameter maxColorCount: 2 to 256, clamped to this range. Below four, pixels are either
    ///   opaque or transparent.
    /// - Returns: The encoding.
    public static func png(maxColorCount: Int) -> ImageEncoding {
        .init(.PNG, maxColorCount: max(2, min(256, maxColorCount)))
    }

    /// GIF, animated or not, with up to 256 colours per frame.
    public static let gif = ImageEncoding(.GIF)

    /// JPEG, without transparency.
    public static func jpeg(quality: CGFloat = 0.8) -> ImageEncoding { .init(.JPEG, quality) }

    /// Progressive JPEG, without transparency.
    ///
    /// Usually smaller than ``jpeg(quality:)``, and takes more time to encode and decode.
    public static func progressiveJPEG(quality: CGFloat = 0.8) -> ImageEncoding {
        .init(.JPEG, quality, isProgressive: true)
    }

    /// Lossy WebP, animated or not.
    ///
    /// A still of at most 256 colours is lossless where this is smaller, as it usually is for drawings.
    ///
    /// - Parameters:
    ///   - quality: 0 (smallest) to 1 (best).
    ///   - effort: 0 (fastest) to 6 (smallest file); nil for 4. Animations always use 4.
    /// - Returns: The encoding.
    public static func webp(quality: CGFloat = 0.8, effort: Int? = nil) -> ImageEncoding {
        .init(.WebP, quality, effort: effort.map { max(0, min(6, $0)) })
    }

    /// Lossless or nearly lossless WebP, animated or not, usually smaller than PNG.
    ///
    /// - Parameters:
    ///   - quality: 1 for exactly the pixels of the image. Below, colours are rounded where they vary,
    ///     in steps of 0.2 from 1 bit (0.8) to 5 (0), so that files are smaller; flat parts and edges
    ///     of drawings stay as they are.
    ///   - effort: 0 (fastest) to 6 (smallest file); nil for 4. With 0 nothing is rounded.
    /// - Returns: The encoding.
    public static func losslessWebP(quality: CGFloat = 1, effort: Int? = nil) -> ImageEncoding {
        .init(.WebP, quality, effort: effort.map { max(0, min(6, $0)) }, isVariantLossless: true)
    }

    /// Lossy AVIF, animated or not.
    ///
    /// - Parameters:
    ///   - quality: 0 (smallest) to 1 (best).
    ///   - speed: 0 (smallest file) to 10 (fastest); nil for 8. Animations always use 8.
    /// - Returns: The encoding.
    public static func avif(quality: CGFloat = 0.8, speed: Int? = nil) -> ImageEncoding {
        .init(.AVIF, quality, effort: speed.map { max(0, min(10, $0)) })
    }

    /// Lossless AVIF, animated or not: red, green and blue as they are, with all samples.
    ///
    /// Files are larger than those of ``losslessWebP(quality:effort:)`` and take longer; for programs that
    /// read nothing else.
    ///
    /// - Parameter speed: 0 (smallest file) to 10 (fastest); nil for 8. Animations always use 8.
    /// - Returns: The encoding.
    public static func losslessAVIF(speed: Int? = nil) -> ImageEncoding {
        .init(.AVIF, effort: speed.map { max(0, min(10, $0)) }, isVariantLossless: true)
    }

    /// Lossless JPEG XL; needs libjxl.
    public static let losslessJXL = ImageEncoding(.JXL, isVariantLossless: true)

    /// JPEG XL; needs libjxl.
    public static func jxl(quality: CGFloat = 0.8) -> ImageEncoding { .init(.JXL, quality) }

    /// The same encoding with all or a quarter of the samples of colour.
    ///
    /// All of them show edges between strong colours better, as in red text, in files half as large
    /// again. Without a choice, JPEG has all above a quality of 0.9, and AVIF from 0.95 on. Other
    /// formats and lossless files ignore it.
    ///
    /// - Parameter isSubsampled: Whether there is a quarter of the samples.
    /// - Returns: The encoding.
    public func subsamplingChroma(_ isSubsampled: Bool) -> ImageEncoding {
        var encoding = self
        if format == .JPEG || format == .AVIF { encoding.subsamplesChroma = isSubsampled }
        return encoding
    }

    /// The identifier of the encoding in cache keys; it follows the identifier of the processor.
    public var identifier: String {
        let variant =
            (isProgressive ? ", progressive" : "") + (effort.map { ", effort \($0)" } ?? "")
            + (maxColorCount.map { ", \($0) colours" } ?? "")
            + (subsamplesChroma.map { $0 ? ", less chroma" : ", all chroma" } ?? "")
            + (isVariantLossless ? ", lossless" : "")
        return "com.onevcat.Kingfisher.ImageEncoding("
            + "\(format), \(NumberText.number(quality))\(variant))"
    }

    /// Whether the format is lossless, so that a file in this format need not be encoded again.
    var isLossless: Bool { format == .PNG && maxColorCount == nil || format == .GIF }
}

extension KFCrossPlatformImage {
    /// The image encoded as PNG; nil for an empty image.
    public func pngData() -> Data? {
        encoded(as: .png)
    }

    /// The image encoded as JPEG; nil for an empty image.
    ///
    /// Transparent parts become black, as they do on Apple's platforms.
    ///
    /// - Parameter compressionQuality: 0 (smallest) to 1 (best); clamped to this range.
    /// - Returns: The file, or nil.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        encoded(as: .jpeg, quality: compressionQuality)
    }

    func encoded(
        as format: FileFormat,
        quality: CGFloat = 1,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) -> Data? {
        let options = EncodeOptions(
            quality: quality.isNaN ? 1 : min(1, max(0, Double(quality))),
            profile: kf.colorProfile,
            isCancelled: isCancelled
        )
        return encoded(as: format, options)
    }

    func encoded(as format: FileFormat, _ options: EncodeOptions) -> Data? {
        guard let bitmap else { return nil }
        // All public encoding methods return nil on failure.
        return try? Codecs.encode(bitmap, as: format, options: options)
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image encoded as PNG; nil for an empty image.
    public func pngRepresentation() -> Data? {
        base.pngData()
    }

    /// The image encoded as JPEG; nil for an empty image.
    ///
    /// - Parameter compressionQuality: 0 (smallest) to 1 (best).
    /// - Returns: The file, or nil.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.jpegData(compressionQuality: compressionQuality)
    }

    /// The encoded bytes that an animated image was made from; nil for still images.
    public func gifRepresentation() -> Data? {
        base.attached.withLock { $0.file?.data }
    }

    /// Encodes an animation as GIF, WebP or AVIF, with its delays and loop count.
    ///
    /// Not part of Kingfisher for Apple platforms. A still image becomes a file of one frame. Use
    /// ``AnimatedImageProcessor`` to encode frames changed by another processor. The cost is that
    /// of decoding and encoding every frame. Ends early if the current task is cancelled.
    ///
    /// - Parameters:
    ///   - format: `.GIF`, with 256 colours per frame, `.WebP`, or `.AVIF`. libavif before 1.0 does
    ///     not store the loop count: its files play without end.
    ///   - compressionQuality: 0 (smallest) to 1 (best); used by WebP and AVIF.
    /// - Returns: The file; nil for other formats, for an empty image, if a frame cannot be decoded,
    ///   and if the task was cancelled.
    public func animationRepresentation(
        format: ImageFormat,
        compressionQuality: CGFloat = 0.8
    ) -> Data? {
        guard format.holdsAnimations else { return nil }
        guard let source = base.frames else {
            return format.fileFormat.flatMap {
                base.encoded(
                    as: $0,
                    quality: compressionQuality,
                    isCancelled: { Task.isCancelled }
                )
            }
        }
        return source.encoded(as: format, quality: compressionQuality)
    }

    /// Encodes the image.
    ///
    /// - Parameters:
    ///   - format: The format. `.unknown` and formats without an encoder yield PNG. `.GIF`, `.WebP`
    ///     and `.AVIF` keep animations, and return the original bytes if they have that format. `.GIF`
    ///     returns nil for a still image.
    ///   - compressionQuality: 0 (smallest) to 1 (best); used by lossy formats.
    /// - Returns: The file, or nil.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        if let bytes = gifRepresentation(), bytes.kf.imageFormat == format { return bytes }
        return switch format {
        case .PNG, .unknown, .HEIF, .TIFF, .SVG, .BMP, .ICO: base.pngData()
        case .JPEG: base.jpegData(compressionQuality: compressionQuality)
        case .GIF where base.frames != nil, .WebP where base.frames != nil,
            .AVIF where base.frames != nil:
            animationRepresentation(format: format, compressionQuality: compressionQuality)
        case .GIF: nil
        case .WebP, .AVIF, .JXL:
            format.fileFormat.flatMap { base.encoded(as: $0, quality: compressionQuality) }
        }
    }
}

extension KFCrossPlatformImage {
    /// Whether encoding in a format of animations keeps one.
    var hasFrames: Bool { frames != nil }

    /// The frames of the animation that the image was made from; nil for still images and for
    /// images made with `onlyFirstFrame`.
    var frames: (any ImageFrameSource)? {
        let state = attached.withLock { $0 }
        guard state.frameCount ?? 1 > 1, state.creatingOptions?.onlyFirstFrame != true else {
            return nil
        }
        // Never the file: it may be untrusted.
        return state.frameSource ?? state.decodedFrames
    }

    /// The file of the animation that the image was made from; nil for still images.
    var animationFile: AnimationFile? { attached.withLock { $0.file } }
}
