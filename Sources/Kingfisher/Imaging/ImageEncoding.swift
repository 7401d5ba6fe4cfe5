public import Foundation

/// A format with the quality to write it in.
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

    /// 0 (smallest) to 1 (best); means nothing to formats without loss.
    public let quality: CGFloat

    private init(_ format: ImageFormat, _ quality: CGFloat = 1) {
        self.format = format
        // Hundredths tell qualities apart well enough, and have short names.
        self.quality = quality.isNaN ? 1 : (min(1, max(0, quality)) * 100).rounded() / 100
    }

    /// PNG, without loss.
    public static let png = ImageEncoding(.PNG)

    /// GIF, animated or not, with 255 colours a frame.
    public static let gif = ImageEncoding(.GIF)

    /// JPEG, without transparency.
    public static func jpeg(quality: CGFloat = 0.8) -> ImageEncoding { .init(.JPEG, quality) }

    /// WebP with loss, animated or not.
    public static func webp(quality: CGFloat = 0.8) -> ImageEncoding { .init(.WebP, quality) }

    /// AVIF with loss.
    public static func avif(quality: CGFloat = 0.8) -> ImageEncoding { .init(.AVIF, quality) }

    /// JPEG XL; with the package trait `JXL` alone.
    public static func jxl(quality: CGFloat = 0.8) -> ImageEncoding { .init(.JXL, quality) }

    /// What cached bytes of the encoding are known by, after the identifier of their processor.
    public var identifier: String {
        "com.onevcat.Kingfisher.ImageEncoding(\(format), \(NumberText.number(quality)))"
    }

    /// Whether nothing is lost, so that a file of the format is as good as one that is written anew.
    var isLossless: Bool { format == .PNG || format == .GIF }

    /// Writes an image; nil if the format cannot hold it, or this build cannot write it.
    func data(of image: KFCrossPlatformImage) -> Data? {
        format == .GIF
            ? image.kf.animationRepresentation(format: format)
            : image.kf.data(format: format, compressionQuality: quality)
    }
}
