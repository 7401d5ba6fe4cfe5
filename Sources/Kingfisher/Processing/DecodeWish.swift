import Foundation
import Pixels

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
