import Codecs
public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Makes an image from encoded bytes; nil when they are no picture, damaged or too large.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build reads.
    ///   - options: The scale, and what becomes of an animation.
    /// - Returns: The image, or nil.
    public static func image(data: Data, options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        // The contract is nil for anything that cannot be shown; `UndecodableReason` tells why.
        guard let info = try? Codecs.inspect(data) else { return nil }
        // A GIF of one frame is an animation too: it keeps its bytes and knows its frame count.
        if info.format == .gif || info.isAnimated || info.frameCount == nil {
            return animatedImage(data: data, options: options)
        }
        guard let decoded = try? Codecs.decode(data) else { return nil }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: options.scale)
    }

    /// Decodes a picture straight to a small size; the full picture never exists.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build reads.
    ///   - pointSize: The longest side of the result is its longest side, in points. A size of
    ///     zero gives the full picture.
    ///   - scale: Pixels per point of the result.
    /// - Returns: A picture of the same ratio, never enlarged, upright; nil when the bytes are no
    ///   picture or the size is no number.
    public static func downsampledImage(
        data: Data,
        to pointSize: CGSize,
        scale: CGFloat
    ) -> KFCrossPlatformImage? {
        guard let target = DownsamplingSize.target(pointSize, scale: scale) else { return nil }
        // The contract is nil for anything that cannot be shown; `UndecodableReason` tells why.
        guard let decoded = try? Codecs.decode(data, options: DecodeOptions(target: target)) else {
            return nil
        }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: scale)
    }
}

/// What a point size asks of the decoder.
enum DownsamplingSize {
    /// A box whose sides are the longest side in pixels; nil when the size is no number.
    static func target(_ pointSize: CGSize, scale: CGFloat) -> DecodeOptions.Target? {
        let longest = max(pointSize.width, pointSize.height) * scale
        guard longest.isFinite, longest >= 0, scale > 0 else { return nil }
        guard longest > 0 else { return .full }
        let side = max(1, Int(min(longest, CGFloat(PixelLimits.maxDimension)).rounded()))
        return .fit(PixelSize(width: side, height: side))
    }
}
