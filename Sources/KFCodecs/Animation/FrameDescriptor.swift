import KFPixels

/// The position, display time and disposal of a frame.
struct FrameDescriptor: Sendable {
    enum Disposal: Sendable {
        /// The next frame is drawn on top.
        case keep
        /// The frame's rectangle becomes transparent.
        case clear
        /// The frame's rectangle gets back its content from before the frame.
        case restore
    }

    /// Lies inside the canvas; empty for a frame outside of it.
    var rect: PixelRect
    /// The display time in seconds, as played.
    var delay: Double
    var disposal = Disposal.keep
    /// Whether the frame's pixels replace those of the canvas, including alpha, instead of being
    /// blended.
    var replaces = false
    /// Whether the file guarantees opaque pixels, known before decoding.
    var isOpaque = false

    /// The delay to play for a stated delay of `seconds`.
    ///
    /// Browsers play 10 ms or less as 100 ms, and files rely on it.
    static func playedDelay(_ seconds: Double) -> Double {
        seconds.isFinite && seconds > 0.0105 ? seconds : 0.1
    }
}

/// Decodes single frames of one file.
///
/// Frames are decoded as their own rectangle, premultiplied, in sRGB, and independently of each
/// other.
protocol FrameReader {
    var info: ImageInfo { get }
    /// The size of the canvas, before orientation.
    var canvasSize: PixelSize { get }
    /// The orientation that the caller must still apply to the canvas.
    var orientation: Orientation { get }
    var frames: [FrameDescriptor] { get }
    /// How often the animation plays; 0 means forever.
    var loopCount: Int { get }

    /// The bytes that the reader holds for the next frame, without the file.
    var heldBytes: Int { get }

    /// Releases the memory that is held for the next frame, which takes longer then.
    mutating func releaseMemory()

    /// The size to which the canvas is scaled for `target`, before orientation.
    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize

    /// Decodes the rectangle of one frame.
    ///
    /// Called only if the rectangle is not empty.
    ///
    /// - Parameters:
    ///   - index: An index into ``frames``.
    ///   - surface: Has the rectangle's size and undefined content. Every pixel is written; those
    ///     missing from a truncated file become transparent.
    /// - Returns: Whether every alpha is 255.
    /// - Throws: ``CodecError``.
    mutating func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool
}

extension FrameReader {
    var orientation: Orientation { info.orientation }
    var heldBytes: Int { 0 }

    func releaseMemory() {}

    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize {
        ShrinkOnLoad.storedTarget(of: info, target)
    }
}
