import Codecs
public import Foundation
import Pixels

/// Random access to the frames of an animation.
public protocol ImageFrameSource: Sendable {
    /// The whole encoded data, if known.
    var data: Data? { get }

    /// The number of frames.
    var frameCount: Int { get }

    /// Decodes a frame; nil when the index is out of range or the frame is damaged.
    ///
    /// - Parameters:
    ///   - index: 0…``frameCount`` − 1.
    ///   - maxSize: A box in pixels that the frame is to fit in; nil for its full size.
    /// - Returns: The frame, or nil.
    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage?

    /// Seconds that a frame is shown.
    func duration(at index: Int) -> TimeInterval

    /// An independent copy for another reader.
    func copy() -> Self
}

extension ImageFrameSource {
    /// Decodes a frame at its full size.
    public func frame(at index: Int) -> KFCrossPlatformImage? {
        frame(at: index, maxSize: nil)
    }

    /// The source itself.
    public func copy() -> Self { self }
}

/// Frames that know how often their file wants to be played.
protocol LoopCounting {
    /// 0 for ever.
    var loopCount: Int { get }
}

/// The frames of an encoded animation, decoded on demand.
final class EncodedFrameSource: ImageFrameSource, LoopCounting {
    private let encoded: Data
    private let scale: CGFloat
    private let decoder: FrameDecoder
    private let limits: DecodeLimits

    /// Reads the structure of a file and decodes nothing.
    ///
    /// - Throws: `CodecError`.
    init(_ data: Data, scale: CGFloat, limits: DecodeLimits = .default) throws {
        encoded = data
        self.scale = scale
        self.limits = limits
        decoder = try FrameDecoder(data, options: DecodeOptions(limits: limits))
    }

    var data: Data? { encoded }

    var frameCount: Int { decoder.frameCount }

    /// How often the animation plays, 0 for ever.
    var loopCount: Int { decoder.loopCount }

    /// The bytes of one decoded frame.
    var frameBytes: Int { decoder.size.byteCount }

    /// Whether every frame may be held in memory at once.
    var fitsInMemory: Bool {
        frameBytes.multipliedSaturating(by: frameCount) <= limits.maxAnimationBytes
    }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        guard (0..<frameCount).contains(index) else { return nil }
        // The protocol's contract is nil for a frame that cannot be decoded.
        guard var bitmap = try? decoder.frame(at: index) else { return nil }
        if let maxSize, let box = PixelSize(points: maxSize, scale: 1) {
            let size = bitmap.size.fitted(inside: box)
            if size != bitmap.size, let smaller = try? resample(bitmap, to: size) {
                bitmap = smaller
            }
        }
        return KFCrossPlatformImage(bitmap: bitmap, scale: scale)
    }

    func duration(at index: Int) -> TimeInterval {
        decoder.delays.indices.contains(index) ? decoder.delays[index] : .infinity
    }
}

extension ImageFrameSource {
    /// The animation in a format, of which one frame is held at a time.
    ///
    /// It plays as often as the file that the frames come from, and for ever if there is none.
    ///
    /// - Parameters:
    ///   - format: `.GIF` or `.WebP`.
    ///   - quality: 0 (smallest) to 1 (best), for WebP.
    ///   - change: Makes the frame that is written; all have to be of one size.
    /// - Returns: The file; nil for other formats, and when a frame cannot be made or written.
    func encoded(
        as format: ImageFormat,
        quality: CGFloat,
        _ change: (KFCrossPlatformImage) -> KFCrossPlatformImage? = { $0 }
    ) -> Data? {
        func bitmap(_ index: Int) throws(CodecError) -> Bitmap {
            guard let bitmap = frame(at: index).flatMap(change)?.bitmap else {
                throw .encodingFailed(.webp, detail: "frame \(index) cannot be made")
            }
            return bitmap
        }
        guard let fileFormat = format.fileFormat, let first = try? bitmap(0) else { return nil }
        // Nil is the contract of every public method that encodes.
        return try? Codecs.encodeAnimation(
            of: first.size,
            frameCount: frameCount,
            loopCount: (self as? any LoopCounting)?.loopCount ?? 0,
            as: fileFormat,
            options: EncodeOptions(quality: quality.isNaN ? 1 : min(1, max(0, Double(quality))))
        ) { index throws(CodecError) in
            AnimationFrame(
                bitmap: index == 0 ? first : try bitmap(index),
                delay: duration(at: index)
            )
        }
    }
}
