import Codecs
public import Foundation

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

    /// 0 (smallest) to 1 (best); ignored by lossless formats.
    public let quality: CGFloat

    /// Whether a JPEG is progressive: shown coarsely before all of it is loaded.
    public let isProgressive: Bool

    /// The work per pixel on the scale of the format's library; nil for the default.
    ///
    /// See ``webp(quality:effort:)`` and ``avif(quality:speed:)``.
    public let effort: Int?

    private init(
        _ format: ImageFormat,
        _ quality: CGFloat = 1,
        isProgressive: Bool = false,
        effort: Int? = nil
    ) {
        self.format = format
        self.isProgressive = isProgressive
        self.effort = effort
        // Steps of one hundredth are fine enough and keep identifiers short.
        self.quality = quality.isNaN ? 1 : (min(1, max(0, quality)) * 100).rounded() / 100
    }

    /// PNG, lossless.
    public static let png = ImageEncoding(.PNG)

    /// GIF, animated or not, with 255 colours per frame.
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
    /// - Parameters:
    ///   - quality: 0 (smallest) to 1 (best).
    ///   - effort: 0 (fastest) to 6 (smallest file); nil for 4. Animations always use 4.
    /// - Returns: The encoding.
    public static func webp(quality: CGFloat = 0.8, effort: Int? = nil) -> ImageEncoding {
        .init(.WebP, quality, effort: effort.map { max(0, min(6, $0)) })
    }

    /// Lossy AVIF.
    ///
    /// - Parameters:
    ///   - quality: 0 (smallest) to 1 (best).
    ///   - speed: 0 (smallest file) to 10 (fastest); nil for 8.
    /// - Returns: The encoding.
    public static func avif(quality: CGFloat = 0.8, speed: Int? = nil) -> ImageEncoding {
        .init(.AVIF, quality, effort: speed.map { max(0, min(10, $0)) })
    }

    /// JPEG XL; only with the package trait `JXL`.
    public static func jxl(quality: CGFloat = 0.8) -> ImageEncoding { .init(.JXL, quality) }

    /// The identifier of the encoding in cache keys; it follows the identifier of the processor.
    public var identifier: String {
        let variant =
            (isProgressive ? ", progressive" : "") + (effort.map { ", effort \($0)" } ?? "")
        return "com.onevcat.Kingfisher.ImageEncoding("
            + "\(format), \(NumberText.number(quality))\(variant))"
    }

    /// Whether the format is lossless, so that a file in this format need not be encoded again.
    var isLossless: Bool { format == .PNG || format == .GIF }

    /// Encodes an image.
    ///
    /// - Parameter image: The image; an animation becomes a still in formats without animations.
    /// - Returns: The file; nil if the format cannot represent the image or this build cannot encode
    ///   the format.
    public func data(of image: KFCrossPlatformImage) -> Data? {
        if isProgressive {
            return image.encoded(as: .jpeg, quality: quality, isProgressive: true)
        }
        if let effort, let file = format.fileFormat, format != .WebP || !image.hasFrames {
            return image.encoded(as: file, quality: quality, effort: effort)
        }
        return format == .GIF
            ? image.kf.animationRepresentation(format: format)
            : image.kf.data(format: format, compressionQuality: quality)
    }
}
