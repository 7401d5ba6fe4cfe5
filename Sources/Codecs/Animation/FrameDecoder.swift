package import FoundationEssentials
package import Pixels
import Synchronization

/// Decodes the frames of an animation on demand, composited, upright, in the wanted size.
///
/// Stills have one frame. Frames are cheapest in their order: each one is laid on the canvas that
/// the one before left. Going back, or ahead past a frame that covers everything, replays from the
/// last frame that starts afresh. Between calls it holds the file, the canvas and up to three pictures
/// of its size: one to go on with while others hold the last frame, one that a frame wants restored,
/// and one to blend from. Memory of frames that nobody holds any more is written again.
///
/// Any thread may ask; calls wait for each other, and one call lasts as long as decoding does.
package final class FrameDecoder: Sendable {
    package let info: ImageInfo
    package let frameCount: Int
    /// How often the animation plays, 0 for ever.
    package let loopCount: Int
    /// How long each frame is to be shown, in seconds; what a file states as 10 ms or less is 0.1.
    package let delays: [Double]
    /// The size of the frames handed out, in pixels, upright.
    package let size: PixelSize

    private let state: Mutex<FrameState>

    /// Reads the structure of the file and decodes nothing.
    ///
    /// - Parameters:
    ///   - data: A picture of any format; kept.
    ///   - options: The target counts for the canvas. Of a file that ends early,
    ///     ``DecodeOptions/Truncation/keepsPartial`` keeps the frames that have begun.
    /// - Throws: ``CodecError``.
    package init(
        _ data: Data,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) {
        try options.limits.check(inputBytes: data.count)
        let reader = try Codecs.frameReader(data, options)
        try options.limits.check(frameCount: reader.frames.count)
        // Frames are made on the whole canvas, whatever the target is.
        try options.limits.check(reader.canvasSize, of: reader.info.format)
        if reader.frames.count > 1 { try options.limits.check(canvas: reader.canvasSize) }
        info = reader.info
        frameCount = reader.frames.count
        loopCount = reader.loopCount
        delays = reader.frames.map(\.delay)
        let target = reader.scaledSize(options.target)
        size = reader.orientation.displaySize(of: target)
        state = Mutex(FrameState(reader: reader, target: target))
    }

    /// Decodes the canvas as it looks while frame `index` is shown.
    ///
    /// - Precondition: `index` is one of `0..<frameCount`.
    package func frame(at index: Int) throws(CodecError) -> Bitmap {
        precondition((0..<frameCount).contains(index), "there is no frame \(index)")
        return try PixelScope.lifted { () throws(CodecError) in
            try state.withLock { state throws(CodecError) in try state.frame(at: index) }
        }
    }
}

/// The canvas and which frame lies on it.
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

    private mutating func advance(to index: Int) throws(CodecError) {
        let frame = reader.frames[index]
        var canvas = try takeCanvas()
        // A failure below leaves the canvas half done: the next call starts afresh.
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

    /// For each frame whether nothing before it can be seen.
    private static func freshStarts(_ frames: [FrameDescriptor], _ size: PixelSize) -> [Bool] {
        frames.indices.map { index in
            guard index > 0 else { return true }
            let isWhole = frames[index].rect.size == size
            if isWhole, frames[index].replaces { return true }
            let before = frames[index - 1]
            return before.disposal == .clear && before.rect.size == size
        }
    }
}
