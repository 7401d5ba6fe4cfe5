import Pixels

/// Where a frame of an animation lies, how long it stays, and what becomes of it.
struct FrameDescriptor: Sendable {
    enum Disposal: Sendable {
        /// The next frame is drawn on top.
        case keep
        /// The frame's rectangle becomes transparent.
        case clear
        /// The frame's rectangle becomes what it was before.
        case restore
    }

    /// Inside the canvas; empty for a frame that lies outside.
    var rect: PixelRect
    /// In seconds, as it is to be played.
    var delay: Double
    var disposal = Disposal.keep
    /// Whether the frame's pixels take the place of the canvas's, alpha and all.
    var replaces = false
    /// Whether all of the frame's pixels are known to be opaque before they are decoded.
    var isOpaque = false

    /// The delay to play for one that a file states in seconds.
    ///
    /// Browsers play 10 ms or less as 100 ms, and files rely on it.
    static func playedDelay(_ seconds: Double) -> Double {
        seconds.isFinite && seconds > 0.0105 ? seconds : 0.1
    }
}

/// Decodes single frames of one file.
///
/// Frames come as their own rectangle, premultiplied, in sRGB, and know nothing of each other.
protocol FrameReader {
    var info: ImageInfo { get }
    /// The size of the canvas, before orientation.
    var canvasSize: PixelSize { get }
    /// What is left to be done to the canvas.
    var orientation: Orientation { get }
    var frames: [FrameDescriptor] { get }
    /// How often the animation plays, 0 for ever.
    var loopCount: Int { get }

    /// The size to which the canvas is scaled, before orientation.
    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize

    /// Decodes the rectangle of one frame; called only for rectangles that are not empty.
    ///
    /// - Parameters:
    ///   - index: One of those of ``frames``.
    ///   - surface: Of the rectangle's size, with anything in it. Every pixel is written; those that
    ///     a cut-off file lacks become transparent.
    /// - Returns: Whether every alpha is 255.
    /// - Throws: ``CodecError``.
    mutating func decodeFrame(
        at index: Int,
        into surface: FrameSurface
    ) throws(CodecError) -> Bool
}

extension FrameReader {
    var orientation: Orientation { info.orientation }

    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize {
        ShrinkOnLoad.storedTarget(of: info, target)
    }
}
