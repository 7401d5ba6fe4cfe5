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
        let traits = Traits(of: processor)
        switch traits.kind {
        case .file: return 0
        // An animation is processed frame by frame, each with the whole canvas.
        case .frames(let inner, _) where header.frameCount != 1:
            return max(own.byteCount.multipliedSaturating(by: 3), drawing(on: own, by: inner))
        case .frames(let inner, _), .profile(let inner): return of(header, by: inner)
        case .drawing, .decoding, .chain, .custom: break
        }
        let size = traits.decodedSize(own, scale) ?? own
        let cost = max(Self.decoding(to: size, from: own), header.preloadedBytes)
        return max(cost, drawing(on: size, by: processor))
    }

    /// The cost of drawing on an image of `size`: the largest sum of input and output of a step.
    func drawing(on size: PixelSize, by processor: any ImageProcessor) -> Int {
        var (size, cost) = (size, 0)
        _ = draw(by: processor, on: &size, &cost)
        return cost
    }

    /// Adds a step; false if its result is refused before it is allocated.
    private func draw(
        by processor: any ImageProcessor,
        on size: inout PixelSize,
        _ cost: inout Int
    ) -> Bool {
        let traits = Traits(of: processor)
        switch traits.kind {
        case .chain(let steps): return steps.allSatisfy { draw(by: $0, on: &size, &cost) }
        case .frames(let inner, _), .profile(let inner): return draw(by: inner, on: &size, &cost)
        case .file, .custom: return true
        case .drawing, .decoding:
            let next = (traits.drawnSize ?? traits.decodedSize)(size, scale) ?? size
            guard scope.allows(next) else { return false }
            if next != size { cost = max(cost, size.byteCount.addingSaturating(next.byteCount)) }
            size = next
            return true
        }
    }
}
