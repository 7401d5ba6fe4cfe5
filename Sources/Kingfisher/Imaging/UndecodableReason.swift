import Codecs
import Foundation
import Pixels

/// Finds out why bytes cannot be decoded.
enum UndecodableReason {
    /// A clause such as `the bytes are not an image of a known format`.
    ///
    /// Decodes the bytes again at a small size, because processors and serializers return nil
    /// without a reason. It is only used when an error text is read.
    static func text(for data: Data) -> String { find(in: data) ?? refused }

    /// The same clause; nil if the bytes can be decoded.
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

    /// Whether the bytes are an image beyond the limits of decoding.
    static func isTooLarge(_ data: Data) -> Bool {
        let box = PixelSize(width: 16, height: 16)
        do throws(CodecError) {
            _ = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
            return false
        } catch {
            switch error {
            case .limitExceeded, .pixels(.tooLarge): return true
            default: return false
            }
        }
    }

    /// The clause for bytes that can be decoded.
    static let refused =
        "they can be decoded, but the processor returned no image with its settings"

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
