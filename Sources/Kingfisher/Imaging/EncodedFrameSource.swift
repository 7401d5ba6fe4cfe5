import Codecs
import Foundation
import Pixels

/// The frames of an encoded animation, decoded on demand.
final class EncodedFrameSource: ImageFrameSource {
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
