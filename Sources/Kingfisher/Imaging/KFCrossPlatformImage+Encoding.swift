import Codecs
public import Foundation
import Synchronization

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
        isProgressive: Bool = false,
        effort: Int? = nil
    ) -> Data? {
        guard let bitmap else { return nil }
        let options = EncodeOptions(
            quality: quality.isNaN ? 1 : min(1, max(0, Double(quality))),
            isProgressive: isProgressive,
            effort: effort
        )
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
        base.attached.withLock { $0.animatedData }
    }

    /// Encodes an animation as GIF or WebP, with its delays and loop count.
    ///
    /// Not part of Kingfisher for Apple platforms. A still image becomes a file of one frame. Use
    /// ``AnimatedImageProcessor`` to encode frames changed by another processor. The cost is that
    /// of decoding and encoding every frame.
    ///
    /// - Parameters:
    ///   - format: `.GIF`, with 255 colours per frame, or `.WebP`.
    ///   - compressionQuality: 0 (smallest) to 1 (best); used by WebP.
    /// - Returns: The file; nil for other formats, for an empty image, and if a frame cannot be
    ///   decoded.
    public func animationRepresentation(
        format: ImageFormat,
        compressionQuality: CGFloat = 0.8
    ) -> Data? {
        guard format == .GIF || format == .WebP else { return nil }
        guard let source = base.frames else {
            return format.fileFormat.flatMap { base.encoded(as: $0, quality: compressionQuality) }
        }
        return source.encoded(as: format, quality: compressionQuality)
    }

    /// Encodes the image.
    ///
    /// - Parameters:
    ///   - format: The format. `.unknown` and formats without an encoder yield PNG. `.GIF` and
    ///     `.WebP` keep animations, and return the original bytes if they have that format. `.GIF`
    ///     returns nil for a still image.
    ///   - compressionQuality: 0 (smallest) to 1 (best); used by lossy formats.
    /// - Returns: The file, or nil.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        if let bytes = gifRepresentation(), bytes.kf.imageFormat == format { return bytes }
        return switch format {
        case .PNG, .unknown, .HEIF, .TIFF, .SVG, .BMP, .ICO: base.pngData()
        case .JPEG: base.jpegData(compressionQuality: compressionQuality)
        case .GIF where base.frames != nil, .WebP where base.frames != nil:
            animationRepresentation(format: format, compressionQuality: compressionQuality)
        case .GIF: nil
        case .WebP, .AVIF, .JXL:
            format.fileFormat.flatMap { base.encoded(as: $0, quality: compressionQuality) }
        }
    }
}

extension KFCrossPlatformImage {
    /// Whether encoding as GIF or WebP keeps an animation.
    var hasFrames: Bool { frames != nil }

    /// The frames of the animation that the image was made from; nil for still images and for
    /// images made with `onlyFirstFrame`.
    fileprivate var frames: (any ImageFrameSource)? {
        let state = attached.withLock { $0 }
        guard state.frameCount ?? 1 > 1, state.creatingOptions?.onlyFirstFrame != true else {
            return nil
        }
        // Bytes attached by the program itself may be invalid.
        return state.frameSource
            ?? state.animatedData.flatMap { try? EncodedFrameSource($0, scale: scale) }
    }
}
