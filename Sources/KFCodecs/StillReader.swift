import FoundationEssentials
import KFPixels

/// Presents a still image as an animation of one frame, which is decoded on demand.
struct StillReader: FrameReader {
    let info: ImageInfo
    let frames: [FrameDescriptor]
    let canvasSize: PixelSize
    let loopCount = 1
    private let data: Data
    private let options: DecodeOptions

    /// Reads the header.
    ///
    /// - Throws: ``CodecError``.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        self.data = data
        self.options = options
        info = try Codecs.inspect(data)
        let stored = ShrinkOnLoad.storedTarget(of: info, options.target)
        canvasSize = info.orientation.displaySize(of: stored)
        frames = [FrameDescriptor(rect: PixelRect(size: canvasSize), delay: 0, replaces: true)]
    }

    // `decode` already applies orientation and scale.
    var orientation: Orientation { .up }

    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize { canvasSize }

    func decodeFrame(at index: Int, into surface: FrameSurface) throws(CodecError) -> Bool {
        let decoded = try Codecs.decode(data, options: options).bitmap
        // The target selects an icon's entry, which may have another aspect ratio.
        let bitmap = try CodecError.wrapping { () throws(PixelError) in
            decoded.size == canvasSize ? decoded : try resample(decoded, to: canvasSize)
        }
        surface.copy(bitmap)
        return bitmap.isOpaque
    }
}
