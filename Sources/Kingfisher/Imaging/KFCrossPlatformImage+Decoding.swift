import Codecs
public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Makes an image from encoded bytes.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build can decode.
    ///   - options: The scale, and how an animation is handled.
    /// - Returns: The image; nil if the bytes are no image, damaged or too large.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        // Nil is the documented result for undecodable bytes; `UndecodableReason` finds the reason.
        guard let info = try? Codecs.inspect(data) else { return nil }
        // A GIF of one frame is treated as an animation: it keeps its bytes and its frame count.
        if info.format == .gif || info.isAnimated || info.frameCount == nil {
            return animatedImage(data: data, options: options)
        }
        guard let decoded = try? Codecs.decode(data) else { return nil }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: options.scale)
    }

    /// Decodes an image directly to a small size; the full-size bitmap is never allocated.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build can decode.
    ///   - pointSize: The longer side of this size, in points, limits the longer side of the
    ///     result. Zero keeps the full size.
    ///   - scale: Pixels per point of the result.
    /// - Returns: An upright image of the same aspect ratio, never enlarged; nil if the bytes
    ///   cannot be decoded or the size is not finite.
    public static func downsampledImage(
        data: Data,
        to pointSize: CGSize,
        scale: CGFloat
    ) -> KFCrossPlatformImage? {
        guard let target = DownsamplingSize.target(pointSize, scale: scale) else { return nil }
        // Nil is the documented result for undecodable bytes; `UndecodableReason` finds the reason.
        guard let decoded = try? Codecs.decode(data, options: DecodeOptions(target: target)) else {
            return nil
        }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: scale)
    }
}

/// Converts a size in points to a target of the decoder.
enum DownsamplingSize {
    /// A square box with the longer side in pixels; nil if the size is not finite.
    static func target(_ pointSize: CGSize, scale: CGFloat) -> DecodeOptions.Target? {
        let longest = max(pointSize.width, pointSize.height) * scale
        guard longest.isFinite, longest >= 0, scale > 0 else { return nil }
        guard longest > 0 else { return .full }
        let side = max(1, Int(min(longest, CGFloat(PixelLimits.maxDimension)).rounded()))
        return .fit(PixelSize(width: side, height: side))
    }
}
