import Codecs
import Foundation
import Pixels

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
struct DecodePlan: Equatable {
    /// The size of the image in the file.
    let own: PixelSize
    /// The size to decode to, at most ``own``.
    let base: PixelSize
    /// Whether every caller resamples the bitmap to half of its size or less.
    let isReducedLater: Bool

    /// Makes a plan for the waiting callers; nil if separate decodes are better.
    ///
    /// - Parameters:
    ///   - wishes: The requests that wait when the bytes arrive. Later ones are not waited for.
    ///   - format: The format of the file.
    ///   - header: The header of the file. Animations are left to the processors.
    ///   - maxBytes: The maximum size of the shared bitmap in bytes.
    init?(_ wishes: [DecodeWish], of format: FileFormat?, _ header: FileHeader, maxBytes: Int) {
        // A GIF of one frame is treated as an animation: it keeps its bytes.
        guard format != .gif, header.frameCount == 1, Set(wishes.map(\.key)).count > 1 else {
            return nil
        }
        own = header.size
        let sizes = Set(wishes.map { [own] in $0.size(of: own) })
        if let size = sizes.first, sizes.count == 1 {
            base = size
            isReducedLater = false
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

    /// Decodes the shared bitmap from the bytes of the file.
    func decode(_ data: Data) throws(CodecError) -> Bitmap {
        let target: DecodeOptions.Target = base == own ? .full : .exact(base)
        let options = DecodeOptions(target: target, isReducedLater: isReducedLater)
        return try Codecs.decode(data, options: options).bitmap
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

/// The size in which one caller needs the image.
struct DecodeWish: Sendable {
    /// Callers with the same key share the image, so they make one request.
    let key: JobGraph.Key
    private let processor: any ImageProcessor

    /// Nil for a processor that needs the encoded bytes, or that runs on its own queue.
    init?(_ options: KingfisherParsedOptionsInfo) {
        guard options.processingQueue == nil, options.processor.takesDecoded else { return nil }
        key = JobGraph.Key(options)
        processor = options.processor
    }

    /// The size in pixels for an image of `own` pixels.
    func size(of own: PixelSize) -> PixelSize { sized(own)?.size ?? own }

    /// The image that the processor makes from the bitmap in that size.
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

    /// The processor with its size, if it decodes bytes to a size of its own.
    private func sized(_ own: PixelSize) -> (processor: any SizedDecoding, size: PixelSize)? {
        guard let processor = processor as? any SizedDecoding,
            let size = processor.decodedSize(of: own, scale: key.scale)
        else { return nil }
        return (processor, size)
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

    fileprivate var takesDecoded: Bool {
        // Later steps of a chain receive an image in any case.
        guard let chain = self as? ProcessorChain else { return self is any DrawingOnDecoded }
        return chain.firstStep is any DrawingOnDecoded
    }
}

/// Estimates the memory for pixels that a piece of work needs at once, for the memory budget.
///
/// Sizes come from file headers and callers, so sums and products saturate.
struct WorkCost {
    private let scale: CGFloat
    private let scope: PixelScope

    init(_ options: KingfisherParsedOptionsInfo) {
        scale = options.scaleFactor
        scope = options.resultLimits.scope
    }

    /// The cost of decoding to `size` from a file of size `own`.
    static func decoding(to size: PixelSize, from own: PixelSize) -> Int {
        // Decoding to a smaller size works row by row; a sixteenth covers the rows and the
        // decoder's buffers.
        size == own ? size.byteCount : max(size.byteCount, own.byteCount / 16)
    }

    /// The cost of processing `item`; 0 if its header cannot be read.
    func of(_ item: ImageProcessItem, by processor: any ImageProcessor, preloads: Bool) -> Int {
        switch item {
        case .image(let image):
            guard let size = image.bitmap?.size else { return 0 }
            return max(image.cacheCost, drawing(on: size, by: processor))
        case .data(let data):
            return FileHeader(data, preloads: preloads).map { of($0, by: processor) } ?? 0
        }
    }

    /// The cost of processing a file with this header.
    func of(_ header: FileHeader, by processor: any ImageProcessor) -> Int {
        let own = header.size
        // The decoder refuses the file when it reads the header.
        guard own.byteCount != .max else { return 0 }
        if let animated = processor as? AnimatedImageProcessor {
            // An animation is processed frame by frame, each with the whole canvas.
            guard header.frameCount != 1 else { return of(header, by: animated.processor) }
            let cost = drawing(on: own, by: animated.processor)
            return max(own.byteCount.multipliedSaturating(by: 3), cost)
        }
        if let keeping = processor as? ProfileKeepingProcessor {
            return of(header, by: keeping.processor)
        }
        let size = (processor as? any SizedDecoding)?.decodedSize(of: own, scale: scale) ?? own
        let cost = max(Self.decoding(to: size, from: own), header.preloadedBytes)
        return max(cost, drawing(on: size, by: processor))
    }

    /// The cost of drawing on an image of `size`: the largest sum of input and output of a step.
    func drawing(on size: PixelSize, by processor: any ImageProcessor) -> Int {
        if let keeping = processor as? ProfileKeepingProcessor {
            return drawing(on: size, by: keeping.processor)
        }
        var size = size
        var cost = 0
        for step in (processor as? ProcessorChain)?.steps ?? [processor] {
            guard let step = step as? any DrawingOnDecoded else { continue }
            let next = step.drawnSize(of: size, scale: scale)
            // Refused before allocation.
            guard scope.allows(next) else { break }
            if next != size { cost = max(cost, size.byteCount.addingSaturating(next.byteCount)) }
            size = next
        }
        return cost
    }
}
