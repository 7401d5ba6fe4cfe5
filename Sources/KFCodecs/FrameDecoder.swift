package import FoundationEssentials
package import KFPixels
import Synchronization

/// Decodes the frames of an animation on demand: composited, upright, in the requested size.
///
/// A still has one frame. Sequential access is cheapest, because each frame is drawn on the canvas
/// that the previous one left. Going back, or ahead past a frame that covers the whole canvas,
/// replays from the last frame that does not depend on earlier ones.
///
/// Between calls it holds the file, the canvas and up to three bitmaps of the canvas's size: one to
/// draw on while callers keep the last frame, one that a frame wants restored, and one to blend
/// from. Memory of frames that callers have released is reused. ``releaseMemory(keepsCanvas:)``
/// releases all but the file.
///
/// Thread-safe: calls run one at a time, each for as long as decoding takes.
package final class FrameDecoder: Sendable {
    package let info: ImageInfo
    package let frameCount: Int
    /// How often the animation plays; 0 means forever.
    package let loopCount: Int
    /// The display time of each frame in seconds.
    ///
    /// A stated delay of 10 ms or less becomes 0.1.
    package let delays: [Double]
    /// The size of the returned frames in pixels, upright.
    package let size: PixelSize

    /// The size of the canvas in bytes, whether or not it is held.
    package let canvasBytes: Int

    private let state: Mutex<FrameState>

    /// Parses the file without decoding any pixels.
    ///
    /// - Parameters:
    ///   - data: A file of any format, retained by the decoder.
    ///   - options: The target applies to the canvas. With
    ///     ``DecodeOptions/Truncation/keepsPartial``, a truncated file keeps the frames that have
    ///     begun.
    /// - Throws: ``CodecError``.
    package init(
        _ data: Data,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) {
        try options.limits.check(inputBytes: data.count)
        let reader = try Codecs.frameReader(data, options)
        try options.limits.check(frameCount: reader.frames.count)
        // Frames are composited on the full canvas, whatever the target is.
        try options.limits.check(reader.canvasSize, of: reader.info.format)
        if reader.frames.count > 1 { try options.limits.check(canvas: reader.canvasSize) }
        info = reader.info
        frameCount = reader.frames.count
        loopCount = reader.loopCount
        delays = reader.frames.map(\.delay)
        let target = reader.scaledSize(options.target)
        size = reader.orientation.displaySize(of: target)
        canvasBytes = reader.canvasSize.byteCount
        state = Mutex(FrameState(reader: reader, target: target))
    }

    /// Decodes the canvas as it looks while frame `index` is shown.
    ///
    /// - Precondition: `index` is in `0..<frameCount`.
    /// - Throws: ``CodecError``.
    package func frame(at index: Int) throws(CodecError) -> Bitmap {
        precondition((0..<frameCount).contains(index), "there is no frame \(index)")
        return try PixelScope.lifted { () throws(CodecError) in
            try state.withLock { state throws(CodecError) in try state.frame(at: index) }
        }
    }

    /// The bytes that are held for the next frame, without the file.
    package var heldBytes: Int { state.withLock { $0.heldBytes } }

    /// Releases the memory that is held for the next frame.
    ///
    /// - Parameter keepsCanvas: Whether the canvas stays. Without it the next frame is drawn from
    ///   the last one that does not depend on earlier ones.
    package func releaseMemory(keepsCanvas: Bool) {
        state.withLock { $0.releaseMemory(keepsCanvas: keepsCanvas) }
    }
}

/// The canvas and the index of the frame that was drawn on it last.
private struct FrameState {
    private var reader: any FrameReader
    private let target: PixelSize
    private let freshStarts: [Bool]
    private var canvas: FrameCanvas?
    private var last: (index: Int, output: Bitmap?)?

    init(reader: any FrameReader, target: PixelSize) {
        self.reader = reader
        self.target = target
        freshStarts = Self.freshStarts(reader.frames, reader.canvasSize)
    }

    mutating func frame(at index: Int) throws(CodecError) -> Bitmap {
        if let last, last.index == index, let output = last.output { return output }
        var next = freshStarts[...index].lastIndex(of: true) ?? 0
        if let last, last.index < index, last.index >= next { next = last.index + 1 }
        while next <= index {
            try advance(to: next)
            next += 1
        }
        guard let canvas else { preconditionFailure("a frame was drawn, but on no canvas") }
        let output = try finished(canvas)
        last = (index, output)
        return output
    }

    var heldBytes: Int { (canvas?.byteCount ?? 0) + reader.heldBytes }

    mutating func releaseMemory(keepsCanvas: Bool) {
        if keepsCanvas {
            last?.output = nil
            canvas?.releaseSpares()
        } else {
            last = nil
            canvas = nil
            reader.releaseMemory()
        }
    }

    private mutating func advance(to index: Int) throws(CodecError) {
        let frame = reader.frames[index]
        var canvas = try takeCanvas()
        // An error below leaves the canvas incomplete. Without `last`, the next call starts over.
        let previous = last?.index
        last = nil
        self.canvas = nil
        if let previous, previous + 1 == index {
            try canvas.dispose(reader.frames[previous])
        } else {
            try canvas.clear()
        }
        if !frame.rect.isEmpty {
            try canvas.draw(frame) { surface throws(CodecError) in
                try reader.decodeFrame(at: index, into: surface)
            }
        }
        self.canvas = canvas
        last = (index, nil)
    }

    private func takeCanvas() throws(CodecError) -> FrameCanvas {
        if let canvas { return canvas }
        return try FrameCanvas(size: reader.canvasSize)
    }

    private func finished(_ canvas: FrameCanvas) throws(CodecError) -> Bitmap {
        let full = canvas.picture
        return try CodecError.wrapping { () throws(PixelError) -> Bitmap in
            let scaled = target == full.size ? full : try resample(full, to: target)
            return try reorient(scaled, reader.orientation)
        }
    }

    /// For each frame, whether it hides or clears everything drawn before it.
    private static func freshStarts(_ frames: [FrameDescriptor], _ size: PixelSize) -> [Bool] {
        frames.indices.map { index in
            guard index > 0 else { return true }
            let isWhole = frames[index].rect.size == size
            if isWhole, frames[index].replaces || frames[index].isOpaque { return true }
            let before = frames[index - 1]
            return before.disposal == .clear && before.rect.size == size
        }
    }
}
