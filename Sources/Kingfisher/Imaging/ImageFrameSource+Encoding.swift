import Codecs
import Foundation
import Pixels

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
            loopCount: (self as? EncodedFrameSource)?.loopCount ?? 0,
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
