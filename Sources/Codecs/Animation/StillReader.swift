import FoundationEssentials
import Pixels

/// A picture of one frame that plays the part of an animation.
struct StillReader: FrameReader {
    let info: ImageInfo
    let frames: [FrameDescriptor]
    let canvasSize: PixelSize
    let loopCount = 1
    private let bitmap: Bitmap

    /// Decodes the picture at once, straight to its target.
    init(_ data: Data, _ options: DecodeOptions) throws(CodecError) {
        let image = try Codecs.decode(data, options: options)
        bitmap = image.bitmap
        canvasSize = image.bitmap.size
        frames = [
            FrameDescriptor(rect: PixelRect(size: image.bitmap.size), delay: 0, replaces: true)
        ]
        info = image.info
    }

    // What is decoded already is upright and scaled.
    var orientation: Orientation { .up }

    func scaledSize(_ target: DecodeOptions.Target) -> PixelSize { canvasSize }

    func decodeFrame(at index: Int, into surface: FrameSurface) -> Bool {
        surface.copy(bitmap)
        return bitmap.isOpaque
    }
}
