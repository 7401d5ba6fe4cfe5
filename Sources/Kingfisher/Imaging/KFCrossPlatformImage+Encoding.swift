import Codecs
public import Foundation
import Synchronization

extension KFCrossPlatformImage {
    /// The picture as PNG; nil for the empty image.
    public func pngData() -> Data? {
        encoded(as: .png)
    }

    /// The picture as JPEG; nil for the empty image.
    ///
    /// Transparent parts come out on black, as they do on Apple's platforms.
    ///
    /// - Parameter compressionQuality: 0 (smallest) to 1 (best); other values are brought inside.
    /// - Returns: The file, or nil.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        encoded(as: .jpeg, quality: compressionQuality)
    }

    func encoded(as format: FileFormat, quality: CGFloat = 1) -> Data? {
        guard let bitmap else { return nil }
        let quality = quality.isNaN ? 1 : min(1, max(0, Double(quality)))
        // The public contract of every encoding method is nil for a picture it cannot write.
        return try? Codecs.encode(bitmap, as: format, options: EncodeOptions(quality: quality))
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The picture as PNG; nil for the empty image.
    public func pngRepresentation() -> Data? {
        base.pngData()
    }

    /// The picture as JPEG; nil for the empty image.
    ///
    /// - Parameter compressionQuality: 0 (smallest) to 1 (best).
    /// - Returns: The file, or nil.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.jpegData(compressionQuality: compressionQuality)
    }

    /// The encoded bytes that an animated image was made from; nil for stills.
    public func gifRepresentation() -> Data? {
        base.attached.withLock { $0.animatedData }
    }

    /// The picture in a format.
    ///
    /// - Parameters:
    ///   - format: `.unknown` gives PNG, and so do formats that are only read. `.GIF` gives the
    ///     original bytes of an animated image and nil for a still.
    ///   - compressionQuality: 0 (smallest) to 1 (best), for lossy formats.
    /// - Returns: The file, or nil.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        if let bytes = gifRepresentation(), bytes.kf.imageFormat == format { return bytes }
        return switch format {
        case .PNG, .unknown, .HEIF, .TIFF, .SVG, .BMP, .ICO: base.pngData()
        case .JPEG: base.jpegData(compressionQuality: compressionQuality)
        case .GIF: gifRepresentation()
        case .WebP, .AVIF, .JXL:
            format.fileFormat.flatMap { base.encoded(as: $0, quality: compressionQuality) }
        }
    }
}
