import Foundation
import Pixels

/// Carries the bytes of a file through a load without decoding them.
struct OriginalBytesProcessor: ImageProcessor {
    static let identifier = "com.onevcat.Kingfisher.OriginalBytesProcessor"

    var identifier: String { Self.identifier }

    /// An image without pixels that carries the bytes; nil if they are not of a known format.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard case .data(let data) = item, data.kf.imageFormat != .unknown else { return nil }
        var state = AttachedState()
        state.animatedData = data
        return KFCrossPlatformImage(bitmap: nil, attached: state)
    }
}

extension OriginalBytesProcessor: SizedDecoding {
    /// A single pixel: nothing is decoded, so a load needs no memory for pixels.
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        PixelSize(width: 1, height: 1)
    }
}
