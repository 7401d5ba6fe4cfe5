import Foundation
import Pixels

/// Processors one behind the other; a failure of one ends the chain.
///
/// However they were put together, they stand in one row: `(a |> b) |> c` and `a |> (b |> c)` do
/// the same and have the same identifier.
struct ProcessorChain: ImageProcessor {
    let identifier: String

    private let steps: [any ImageProcessor]

    init(first: any ImageProcessor, second: any ImageProcessor) {
        identifier = "\(first.identifier)|>\(second.identifier)"
        steps = Self.steps(of: first) + Self.steps(of: second)
    }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        var steps = steps[...]
        if case .data = item, sizedStart != nil { steps = steps.drop { $0.onlyDecodes } }
        var result: KFCrossPlatformImage?
        for step in steps {
            let input = result.map { ImageProcessItem.image($0) } ?? item
            guard let image = step.process(item: input, options: options) else { return nil }
            result = image
        }
        return result
    }

    /// The processor that the bytes meet first, if it decodes them to a size: given the bytes
    /// rather than what the default processor makes of them, it never needs the full picture.
    private var sizedStart: (any SizedDecoding)? {
        steps.first { !$0.onlyDecodes } as? any SizedDecoding
    }

    private static func steps(of processor: any ImageProcessor) -> [any ImageProcessor] {
        (processor as? ProcessorChain)?.steps ?? [processor]
    }
}

extension ProcessorChain: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        sizedStart?.decodedSize(of: own, scale: scale)
    }
}

extension ImageProcessor {
    fileprivate var onlyDecodes: Bool { self is DefaultImageProcessor }
}
