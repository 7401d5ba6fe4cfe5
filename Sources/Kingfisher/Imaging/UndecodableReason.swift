import Codecs
import Foundation
import Pixels

/// Tells why bytes did not become an image.
enum UndecodableReason {
    /// A clause such as `the bytes are no picture of a known format`.
    ///
    /// Decodes once more to learn it, to a small size: the protocols of processors and serializers
    /// carry nil, not a reason, and it is wanted only when a person reads the error.
    static func text(for data: Data) -> String { find(in: data) ?? refused }

    /// The same clause; nil when the bytes can be decoded.
    static func find(in data: Data) -> String? {
        do {
            let info = try Codecs.inspect(data)
            let box = PixelSize(width: 16, height: 16)
            guard info.frameCount != 1 else {
                _ = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
                return nil
            }
            return try brokenFrame(
                of: FrameDecoder(data, options: DecodeOptions(target: .fit(box)))
            )
        } catch {
            return "\(error)"
        }
    }

    /// Said of bytes that can be decoded.
    static let refused =
        "they can be decoded, but the processor made no image with its settings"

    private static func brokenFrame(of decoder: FrameDecoder) -> String? {
        for index in 0..<decoder.frameCount {
            do throws(CodecError) {
                _ = try decoder.frame(at: index)
            } catch {
                return "frame \(index + 1) of \(decoder.frameCount) is broken, \(error)"
            }
        }
        return nil
    }
}
