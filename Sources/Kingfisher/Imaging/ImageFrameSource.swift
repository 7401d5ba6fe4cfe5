public import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// Random access to the frames of an animation.
public protocol ImageFrameSource: Sendable {
    /// The complete encoded data, if known.
    var data: Data? { get }

    /// The number of frames.
    var frameCount: Int { get }

    /// Decodes a frame.
    ///
    /// - Parameters:
    ///   - index: 0…``frameCount`` − 1.
    ///   - maxSize: A box in pixels that the frame is scaled down to fit; nil for its full size.
    /// - Returns: The frame; nil if the index is out of range or the frame is damaged.
    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage?

    /// The duration of a frame in seconds.
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

/// A frame source that knows the loop count of its file.
@_spi(Programs) public protocol LoopCounting {
    /// The number of loops; 0 means without end.
    var loopCount: Int { get }
}

/// The encoded file of an animation.
struct AnimationFile: Sendable, Equatable {
    var data: Data
    /// Whether only worker processes may decode the bytes: they were loaded to be decoded there, or
    /// a worker made them.
    ///
    /// The mark stays with the file when its image is copied.
    var isUntrusted = false
}

/// A frame source whose file only worker processes decode.
protocol UntrustedFrames: ImageFrameSource {}

/// A frame source that holds memory for the next frame.
protocol BufferedFrames: ImageFrameSource {
    /// The bytes that it holds at least while frames are decoded one after another.
    var bufferBytes: Int { get }

    /// Begins decoding frames one after another.
    ///
    /// Each call is balanced by one of ``endUse()``.
    func beginUse()

    /// Ends the use by one player; the last one's end releases the memory.
    func endUse()

    /// Releases the memory during the use; the next frame takes longer then.
    ///
    /// - Parameter keepsCanvas: Whether what the next frame is drawn on stays.
    func releaseBuffers(keepsCanvas: Bool)
}

/// The frames of a preloaded animation.
///
/// Encoders read them instead of decoding the file once more.
struct DecodedFrames: ImageFrameSource, LoopCounting {
    let images: [KFCrossPlatformImage]
    /// The display time of each frame in seconds.
    let delays: [TimeInterval]
    let loopCount: Int

    var data: Data? { nil }
    var frameCount: Int { images.count }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        images.indices.contains(index) ? images[index] : nil
    }

    func duration(at index: Int) -> TimeInterval {
        delays.indices.contains(index) ? delays[index] : .infinity
    }
}

/// The frames of an encoded animation, decoded on demand.
///
/// While players use it, the memory that it holds counts for the allowance of all animations.
final class EncodedFrameSource: ImageFrameSource, BufferedFrames, LoopCounting {
    private let encoded: Data
    private let scale: CGFloat
    private let decoder: FrameDecoder
    private let limits: DecodeLimits
    private let allowance: FrameAllowance
    private let users = Atomic(0)
    /// The bytes that the allowance counts.
    private let counted = Atomic(0)

    /// Parses the structure of a file without decoding frames.
    ///
    /// - Throws: `CodecError`.
    init(
        _ data: Data,
        scale: CGFloat,
        limits: DecodeLimits = .default,
        allowance: FrameAllowance = .shared
    ) throws {
        encoded = data
        self.scale = scale
        self.limits = limits
        self.allowance = allowance
        decoder = try FrameDecoder(data, options: DecodeOptions(limits: limits))
    }

    deinit { allowance.add(-counted.load(ordering: .relaxed)) }

    var data: Data? { encoded }

    var frameCount: Int { decoder.frameCount }

    var bufferBytes: Int { decoder.canvasBytes }

    func releaseBuffers(keepsCanvas: Bool) {
        decoder.releaseMemory(keepsCanvas: keepsCanvas)
        count()
    }

    func beginUse() { users.wrappingAdd(1, ordering: .relaxed) }

    func endUse() {
        if users.wrappingSubtract(1, ordering: .relaxed).newValue == 0 {
            releaseBuffers(keepsCanvas: false)
        }
    }

    private func count() {
        let held = users.load(ordering: .relaxed) > 0 ? decoder.heldBytes : 0
        allowance.add(held - counted.exchange(held, ordering: .relaxed))
    }

    /// The number of loops; 0 means without end.
    var loopCount: Int { decoder.loopCount }

    /// The size of a decoded frame in pixels.
    var size: PixelSize { decoder.size }

    /// The size of one decoded frame in bytes.
    var frameBytes: Int { decoder.size.byteCount }

    /// Whether all decoded frames together are within the memory limit for animations.
    var fitsInMemory: Bool {
        frameBytes.multipliedSaturating(by: frameCount) <= limits.maxAnimationBytes
    }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        guard (0..<frameCount).contains(index) else { return nil }
        defer { count() }
        // Nil is the documented result for a frame that cannot be decoded.
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
    /// Encodes the animation while holding a few frames at a time.
    ///
    /// Ends if the current task is cancelled.
    ///
    /// The loop count is that of the source's file; without a file the animation plays without end.
    ///
    /// - Parameters:
    ///   - format: `.GIF`, `.WebP` or `.AVIF`.
    ///   - quality: 0 (smallest) to 1 (best); used by WebP and AVIF.
    ///   - isLossless: Whether WebP and AVIF keep every pixel, whatever the quality is.
    ///   - maxFrameCount: The number of frames to encode, at least 1.
    ///   - change: Makes the frame to encode; all frames must have the same size.
    /// - Returns: The file; nil for other formats, if a frame cannot be made or encoded, and if the
    ///   task was cancelled.
    func encoded(
        as format: ImageFormat,
        quality: CGFloat,
        isLossless: Bool = false,
        maxFrameCount: Int = .max,
        _ change: (KFCrossPlatformImage) -> KFCrossPlatformImage? = { $0 }
    ) -> Data? {
        func bitmap(_ index: Int) throws(CodecError) -> Bitmap {
            guard let bitmap = frame(at: index).flatMap(change)?.bitmap else {
                throw .encodingFailed(.webp, detail: "frame \(index) cannot be made")
            }
            return bitmap
        }
        guard let fileFormat = format.fileFormat, let first = try? bitmap(0) else { return nil }
        // All public encoding methods return nil on failure.
        return try? Codecs.encodeAnimation(
            of: first.size,
            frameCount: min(frameCount, maxFrameCount),
            loopCount: (self as? any LoopCounting)?.loopCount ?? 0,
            as: fileFormat,
            options: EncodeOptions(
                quality: quality.isNaN ? 1 : min(1, max(0, Double(quality))),
                isLossless: isLossless,
                isCancelled: { Task.isCancelled }
            )
        ) { index throws(CodecError) in
            AnimationFrame(
                bitmap: index == 0 ? first : try bitmap(index),
                delay: duration(at: index)
            )
        }
    }
}
