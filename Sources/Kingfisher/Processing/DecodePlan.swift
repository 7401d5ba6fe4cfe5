import Codecs
import Foundation
import Pixels

/// The one picture from which several callers get theirs.
///
/// It has twice the largest size that anybody needs, or the file's own if that is smaller. Twice,
/// because a picture that is resampled from one of nearly its size gets blurred, while one that is
/// at least halved cannot be told from a picture that was decoded on its own: the channels of the
/// two differ by less than 1 of 255 on average and by 16 at most, at hard edges (measured; held by
/// `DecodePlanTests`). When all need the same size it is decoded to just that, and the pixels are
/// those of decoding on its own.
struct DecodePlan: Equatable {
    /// The size of the file's picture.
    let own: PixelSize
    /// The size to decode to, at most ``own``.
    let base: PixelSize

    /// Plans for those who wish something; nil when decoding one by one is better.
    ///
    /// - Parameters:
    ///   - wishes: Of all who wait when the bytes arrive. Nobody is waited for any longer.
    ///   - info: The file's header. Animations are left to the processors.
    ///   - maxBytes: The shared picture may take so many bytes.
    init?(_ wishes: [DecodeWish], of info: ImageInfo, maxBytes: Int) {
        // A GIF of one frame is an animation too: it keeps its bytes.
        guard info.format != .gif, info.frameCount == 1, Set(wishes.map(\.key)).count > 1 else {
            return nil
        }
        own = info.displaySize
        let sizes = Set(wishes.map { [own] in $0.size(of: own) })
        if let size = sizes.first, sizes.count == 1 {
            base = size
        } else {
            let width = sizes.map(\.width).max() ?? own.width
            let height = sizes.map(\.height).max() ?? own.height
            base = own.covering(width: 2 * width, height: 2 * height)
        }
        guard let pixels = base.pixelCount, pixels <= maxBytes / Bitmap.bytesPerPixel else {
            return nil
        }
    }

    /// Whether the shared picture is good enough to make one of this size.
    func serves(_ size: PixelSize) -> Bool {
        base == own || base == size
            || (base.width >= 2 * size.width && base.height >= 2 * size.height)
    }
}

extension PixelSize {
    /// The least size of the same ratio that covers a box, never enlarged.
    fileprivate func covering(width boxWidth: Int, height boxHeight: Int) -> PixelSize {
        guard boxWidth < width, boxHeight < height else { return self }
        let factor = max(
            Double(boxWidth) / Double(width),
            Double(boxHeight) / Double(height)
        )
        return PixelSize(
            width: min(width, Int((Double(width) * factor).rounded(.up))),
            height: min(height, Int((Double(height) * factor).rounded(.up)))
        )
    }
}
