import Foundation
import KFPixels

/// What one caller makes of encoded bytes, resolved once from the options of its load.
final class DecodeRequest: Sendable {
    /// Images of the same bytes with equal keys are equal.
    struct Key: Hashable, Sendable {
        let processor: String
        let scale: CGFloat
        let preloadsAll: Bool
        let onlyFirstFrame: Bool
        let limits: ResultLimits
        let isIsolated: Bool
        let acceptsTruncated: Bool
    }

    let key: Key
    /// The options with the processor.
    let options: KingfisherParsedOptionsInfo
    /// Whether the processor takes a decoded bitmap instead of the encoded bytes; false on a queue
    /// of the user's, and if the file may end early.
    let takesBitmap: Bool
    private let sizing: (any SizedDecoding)?

    init(_ options: KingfisherParsedOptionsInfo) {
        self.options = options
        key = Key(
            processor: options.processor.identifier,
            scale: options.scaleFactor,
            preloadsAll: options.preloadAllAnimationData,
            onlyFirstFrame: options.onlyLoadFirstFrame,
            limits: options.resultLimits,
            isIsolated: options.isolated,
            acceptsTruncated: options.acceptsTruncatedFiles
        )
        // A part of an image is not shared with callers who want all of it.
        takesBitmap =
            options.processingQueue == nil && options.processor.takesDecoded
            && !options.acceptsTruncatedFiles
        sizing = options.processor as? any SizedDecoding
    }

    /// Whether all loads of the same bytes with an equal key can have one image.
    ///
    /// A processor of the user's may count its calls, or depend on the load.
    var makesEqualImages: Bool { takesBitmap && PortableProcessors.contain(options.processor) }

    /// Whether the processor makes the image of a part of the file, which decoding the whole file
    /// for this request alone would waste.
    var keepsPart: Bool {
        let steps = (options.processor as? ProcessorChain)?.steps ?? [options.processor]
        return steps.prefix(3).contains { $0 is any PartKeeping }
    }

    /// See ``ResizingImageProcessor/prefersSpeed``.
    var prefersSpeed: Bool {
        let steps = (options.processor as? ProcessorChain)?.steps ?? [options.processor]
        let first = steps.first { !($0 is DefaultImageProcessor) }
        return (first as? ResizingImageProcessor)?.prefersSpeed ?? false
    }

    /// The size in pixels in which an image of `own` pixels is needed.
    func size(of own: PixelSize) -> PixelSize {
        sizing?.decodedSize(of: own, scale: key.scale) ?? own
    }

    /// The image that the processor makes from the bitmap in that size.
    func image(
        _ bitmap: KFCrossPlatformImage,
        of own: PixelSize
    ) -> KFCrossPlatformImage? {
        guard let sizing, sizing.decodedSize(of: own, scale: key.scale) != nil else {
            return options.processor.process(item: .image(bitmap), options: options)
        }
        return sizing.finish(bitmap, options: options)
    }
}

/// A processor of this library that makes the same image from a decoded bitmap as from its bytes.
///
/// Custom processors always receive the bytes of a download, as documented.
protocol DrawingOnDecoded: ImageProcessor {
    /// The size in pixels of the result for an image of size `own`.
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
    /// Whether the processor should receive bytes rather than a decoded image: it makes the same of
    /// both, and decodes more efficiently itself.
    var prefersBytes: Bool {
        takesDecoded || self is AnimatedImageProcessor || self is OriginalBytesProcessor
            || self is ProfileKeepingProcessor
    }

    /// Whether the processor makes the same image of a bitmap as of bytes.
    fileprivate var takesDecoded: Bool {
        // Later steps of a chain receive an image in any case.
        guard let chain = self as? ProcessorChain else { return self is any DrawingOnDecoded }
        return chain.firstStep is any DrawingOnDecoded
    }
}
