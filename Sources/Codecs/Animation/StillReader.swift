import FoundationEssentials
import Pixels

/// A picture of one frame that plays the part of an animation, decoded when its frame is asked for.
struct StillReader: FrameReader {
    let info: ImageInfo
    let frames: [FrameDescriptor]
    let canvasSize: PixelSize
    let loopCount = 1
    private let data: Data
    private let options: DecodeOptions

    /// Reads the header.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        self.data = data
        self.options = options
        info = try Codecs.inspect(data)
        let stored = ShrinkOnLoad.storedTarget(of: info, options.target)
        canvasSize = info.orientation.displaySize(of: stored)
        frames = [FrameDescriptor(rect: PixelRect(size: canvasSize), delay: 0, replaces: true)]
    }

    // Decoding turns and scales.
    var orientation: Orientation { .up }

    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize { canvasSize }

    func decodeFrame(at index: Int, into surface: FrameSurface) throws(CodecError) -> Bool {
        let decoded = try Codecs.decode(data, options: options).bitmap
        // Of an icon the target chooses the entry, which may have another ratio.
        let bitmap = try CodecError.wrapping { () throws(PixelError) in
            decoded.size == canvasSize ? decoded : try resample(decoded, to: canvasSize)
        }
        surface.copy(bitmap)
        return bitmap.isOpaque
    }
}
