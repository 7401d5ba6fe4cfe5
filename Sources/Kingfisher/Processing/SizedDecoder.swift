import Codecs
import Foundation
import Pixels

/// Decodes bytes straight to the size that a processor asks for.
struct SizedDecoder {
    /// Pixels per point of the result.
    let scale: CGFloat

    /// The picture in exactly a size; nil when it cannot be made.
    func image(_ data: Data, in size: PixelSize) -> KFCrossPlatformImage? {
        // Processors answer with nil; `UndecodableReason` tells why when somebody asks.
        let options = DecodeOptions(target: .exact(size))
        guard PixelScope.allows(size), let decoded = try? Codecs.decode(data, options: options)
        else { return nil }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: scale)
    }

    /// The picture in the size that content mode gives it; nil when it cannot be made.
    func image(
        _ data: Data,
        resizedTo size: CGSize,
        for mode: ContentMode
    ) -> KFCrossPlatformImage? {
        // As above.
        guard let own = (try? Codecs.inspect(data))?.displaySize,
            let pixels = own.resized(to: size, for: mode, scale: scale)
        else { return nil }
        return image(data, in: pixels)
    }
}
