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

    /// An animation as GIF or WebP, encoded anew with its times and rounds; ours beyond the
    /// reference.
    ///
    /// A still is written as a file of one frame. ``AnimatedImageProcessor`` does the same to frames
    /// that another processor has changed. It takes as long as decoding and encoding every frame.
    ///
    /// - Parameters:
    ///   - format: `.GIF`, which keeps 255 colours a frame, or `.WebP`.
    ///   - compressionQuality: 0 (smallest) to 1 (best), for WebP.
    /// - Returns: The file; nil for other formats, the empty image, and animations with a frame that
    ///   cannot be decoded.
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

    /// The picture in a format.
    ///
    /// - Parameters:
    ///   - format: `.unknown` gives PNG, and so do formats that are only read. `.GIF` and `.WebP` give
    ///     the whole of an animation, in the original bytes if they are of that format; `.GIF` gives
    ///     nil for a still.
    ///   - compressionQuality: 0 (smallest) to 1 (best), for lossy formats.
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
    /// The frames of the animation that the image was made from; nil for stills, and for an image
    /// that was to be the first frame alone.
    fileprivate var frames: (any ImageFrameSource)? {
        let state = attached.withLock { $0 }
        guard state.frameCount ?? 1 > 1, state.creatingOptions?.onlyFirstFrame != true else {
            return nil
        }
        // Bytes that a program attached itself may be no picture.
        return state.frameSource
            ?? state.animatedData.flatMap { try? EncodedFrameSource($0, scale: scale) }
    }
}
