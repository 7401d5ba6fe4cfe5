import Foundation
import KFCodecs
import KFPixels

/// Plans one shared bitmap from which the images of several callers are made.
///
/// Its size is twice the largest size that a caller needs, or that of the file if smaller:
/// resampling a bitmap of almost the target size blurs it. The images differ from those of the whole
/// bitmap, scaled down at once, by less than 1 of 255 per channel on average, and by at most 16 at
/// hard edges (measured, and checked by `DecodePlanTests`). Since every caller halves the bitmap at
/// least, the decoder's own scaling may produce it; small images are made from its repeated halves.
///
/// If all callers need the same size, it is decoded to exactly that size, and the pixels equal
/// those of a separate decode.
struct DecodePlan {
    /// The size of the image in the file.
    let own: PixelSize
    /// The size to decode to, at most ``own``.
    let base: PixelSize
    /// Whether every caller resamples the bitmap to half of its size or less.
    let isReducedLater: Bool
    /// For decoding in this process, so that the header is read once.
    let header: ParsedHeader?

    /// Makes a plan for the waiting callers; nil if separate decodes are better.
    ///
    /// - Parameters:
    ///   - requests: The requests that wait when the bytes arrive. Later ones are not waited for.
    ///   - format: The format of the file.
    ///   - header: The header of the file. Animations are left to the processors.
    ///   - maxBytes: The maximum size of the shared bitmap in bytes.
    init?(
        _ requests: [DecodeRequest],
        of format: FileFormat?,
        _ header: FileHeader,
        maxBytes: Int
    ) {
        // A GIF of one frame is treated as an animation: it keeps its bytes.
        guard format != .gif, header.frameCount == 1, let first = requests.first else {
            return nil
        }
        let isAlone = requests.allSatisfy { $0.key == first.key }
        // Processors that get the bytes decode only a part, or the best entry of an icon.
        guard !isAlone || !first.keepsPart && format != .ico else { return nil }
        own = header.size
        self.header = header.parsed
        let sizes = Set(requests.map { [own] in $0.size(of: own) })
        if let size = sizes.first, sizes.count == 1 {
            base = size
            isReducedLater = isAlone && first.prefersSpeed
        } else {
            let width = sizes.map(\.width).max() ?? own.width
            let height = sizes.map(\.height).max() ?? own.height
            base = own.covering(width: 2 * width, height: 2 * height)
            isReducedLater = base != own
        }
        guard let pixels = base.pixelCount, pixels <= maxBytes / Bitmap.bytesPerPixel else {
            return nil
        }
    }

    /// Plans to decode an image of size `own` to another size.
    init(own: PixelSize, base: PixelSize) {
        (self.own, self.base) = (own, base)
        isReducedLater = false
        header = nil
    }

    /// Decodes the shared bitmap from the bytes of the file.
    func decode(_ data: Data) throws(CodecError) -> Bitmap {
        let target: DecodeOptions.Target = base == own ? .full : .exact(base)
        let options = DecodeOptions(target: target, isReducedLater: isReducedLater)
        return try Codecs.decode(data, options: options, header: header).bitmap
    }

    /// How often the shared bitmap can be halved and still be at least twice a size.
    func halvings(for size: PixelSize) -> Int {
        var (count, next) = (0, base.half)
        while next.covers(size, times: 2), next != next.half {
            count += 1
            next = next.half
        }
        return count
    }

    /// Whether the shared bitmap is large enough to make an image of this size.
    func serves(_ size: PixelSize) -> Bool {
        base == own || base == size || base.covers(size, times: 2)
    }
}

extension PixelSize {
    /// Half of the size, rounded up.
    var half: PixelSize {
        PixelSize(width: (width + 1) / 2, height: (height + 1) / 2)
    }

    fileprivate func covers(_ size: PixelSize, times factor: Int) -> Bool {
        width / factor >= size.width && height / factor >= size.height
    }

    /// The smallest size with the same aspect ratio that covers a box, never enlarged.
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
