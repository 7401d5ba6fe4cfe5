import Foundation
import KFPixels

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
