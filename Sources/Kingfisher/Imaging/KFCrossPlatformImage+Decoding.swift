public import Foundation
import KFCodecs
import KFPixels

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
            let image = animatedImage(data: data, options: options)
            // In a truncated file the first frame may be complete.
            if image != nil || !options.onlyFirstFrame && !TruncationScope.isActive {
                return image
            }
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

/// Finds out why bytes cannot be decoded.
enum UndecodableReason {
    /// A clause such as `the bytes are not an image of a known format`; nil if they can be decoded.
    ///
    /// Decodes the bytes again at a small size, because processors and serializers return nil
    /// without a reason. It is only used when an error text is read.
    static func find(in data: Data) -> String? {
        do {
            let info = try Codecs.inspect(data)
            let box = PixelSize(width: 16, height: 16)
            guard info.frameCount != 1 else {
                _ = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
                return nil
            }
            return try brokenFrame(
                of: FrameDecoder(data, options: DecodeOptions(target: .fit(box)))
            )
        } catch {
            return "\(error)"
        }
    }

    /// Whether the bytes are an image beyond the limits of decoding.
    static func isTooLarge(_ data: Data) -> Bool {
        let box = PixelSize(width: 16, height: 16)
        do throws(CodecError) {
            _ = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
            return false
        } catch {
            switch error {
            case .limitExceeded, .pixels(.tooLarge): return true
            default: return false
            }
        }
    }

    /// The clause for bytes that can be decoded.
    static let refused =
        "they can be decoded, but the processor returned no image with its settings"

    private static func brokenFrame(of decoder: FrameDecoder) -> String? {
        for index in 0..<decoder.frameCount {
            do throws(CodecError) {
                _ = try decoder.frame(at: index)
            } catch {
                return "frame \(index + 1) of \(decoder.frameCount) is broken, \(error)"
            }
        }
        return nil
    }
}

/// Options for making an image from encoded bytes.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point.
    public var scale: CGFloat
    /// The duration of one loop in seconds; 0 uses the delays in the file.
    public var duration: TimeInterval
    /// Whether all frames are decoded immediately.
    public var preloadAll: Bool
    /// Whether only the first frame is kept; overrides ``preloadAll``.
    public var onlyFirstFrame: Bool

    /// Makes options.
    ///
    /// - Parameters:
    ///   - scale: Pixels per point.
    ///   - duration: The duration of one loop in seconds; 0 uses the delays in the file.
    ///   - preloadAll: Whether all frames are decoded immediately.
    ///   - onlyFirstFrame: Whether only the first frame is kept.
    public init(
        scale: CGFloat = 1.0,
        duration: TimeInterval = 0.0,
        preloadAll: Bool = false,
        onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }
}
