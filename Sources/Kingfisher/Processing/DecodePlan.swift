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

/// In which size one caller needs the picture of the bytes that it waits for.
struct DecodeWish: Sendable {
    /// Callers with the same key share the image, and so wish once.
    let key: JobGraph.Key
    private let processor: any ImageProcessor

    /// Nil for a processor that must be given the bytes themselves, or that works elsewhere.
    init?(_ options: KingfisherParsedOptionsInfo) {
        guard options.processingQueue == nil, options.processor.takesDecoded else { return nil }
        key = JobGraph.Key(options)
        processor = options.processor
    }

    /// The size in pixels, of a picture of `own` pixels.
    func size(of own: PixelSize) -> PixelSize { sized(own)?.size ?? own }

    /// The image that the processor makes of the picture in that size.
    func image(
        _ picture: KFCrossPlatformImage,
        of own: PixelSize,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard let sized = sized(own) else {
            return processor.process(item: .image(picture), options: options)
        }
        return sized.processor.finish(picture, options: options)
    }

    /// The processor, if it has bytes decoded to a size of its own.
    private func sized(_ own: PixelSize) -> (processor: any SizedDecoding, size: PixelSize)? {
        guard let processor = processor as? any SizedDecoding,
            let size = processor.decodedSize(of: own, scale: key.scale)
        else { return nil }
        return (processor, size)
    }
}

/// A processor of ours that makes the same of the decoded picture as of its bytes.
///
/// One of a user's is always given what it is promised: the bytes of a download.
protocol DrawingOnDecoded: ImageProcessor {
    /// The size in pixels of what is drawn on an image of size `own`.
    func drawnSize(of own: PixelSize, scale: CGFloat) -> PixelSize
}

extension DrawingOnDecoded {
    func drawnSize(of own: PixelSize, scale: CGFloat) -> PixelSize {
        (self as? any SizedDecoding)?.decodedSize(of: own, scale: scale) ?? own
    }
}

extension DefaultImageProcessor: DrawingOnDecoded {}
extension BlackWhiteProcessor: DrawingOnDecoded {}
extension BlendImageProcessor: DrawingOnDecoded {}
extension BlurImageProcessor: DrawingOnDecoded {}
extension BorderImageProcessor: DrawingOnDecoded {}
extension ColorControlsProcessor: DrawingOnDecoded {}
extension CroppingImageProcessor: DrawingOnDecoded {}
extension FlippingImageProcessor: DrawingOnDecoded {}
extension OverlayImageProcessor: DrawingOnDecoded {}
extension PaddingImageProcessor: DrawingOnDecoded {}
extension RotatingImageProcessor: DrawingOnDecoded {}
extension RoundCornerImageProcessor: DrawingOnDecoded {}
extension SharpeningImageProcessor: DrawingOnDecoded {}
extension TintImageProcessor: DrawingOnDecoded {}
extension TrimmingImageProcessor: DrawingOnDecoded {}
extension WatermarkImageProcessor: DrawingOnDecoded {}
extension DownsamplingImageProcessor: DrawingOnDecoded {}
extension ResizingImageProcessor: DrawingOnDecoded {}
extension SmartCroppingImageProcessor: DrawingOnDecoded {}
extension ViewSizeProcessor: DrawingOnDecoded {}

extension ImageProcessor {
    /// Whether it makes the same of bytes as of the image that they are decoded to, and knows best
    /// how to decode them.
    var prefersBytes: Bool { takesDecoded || self is AnimatedImageProcessor }

    fileprivate var takesDecoded: Bool {
        // What follows the first step of a chain gets an image in any case.
        guard let chain = self as? ProcessorChain else { return self is any DrawingOnDecoded }
        return chain.firstStep is any DrawingOnDecoded
    }
}
