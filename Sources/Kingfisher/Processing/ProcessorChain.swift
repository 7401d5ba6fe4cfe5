import Foundation
import Pixels

/// Processors one behind the other; a failure of one ends the chain.
///
/// However they were put together, they stand in one row: `(a |> b) |> c` and `a |> (b |> c)` do
/// the same and have the same identifier.
struct ProcessorChain: ImageProcessor {
    let identifier: String

    let steps: [any ImageProcessor]

    init(first: any ImageProcessor, second: any ImageProcessor) {
        identifier = "\(first.identifier)|>\(second.identifier)"
        steps = Self.steps(of: first) + Self.steps(of: second)
    }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard case .data = item, sizedStart != nil else { return run(steps[...], item, options) }
        return run(steps.drop { $0.onlyDecodes }, item, options)
    }

    private func run(
        _ steps: ArraySlice<any ImageProcessor>,
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard let first = steps.first else {
            if case .image(let image) = item { return image }
            return nil
        }
        guard let image = first.process(item: item, options: options) else { return nil }
        return run(steps.dropFirst(), .image(image), options)
    }

    /// The processor that the bytes are given to.
    var firstStep: any ImageProcessor { steps[0] }

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

    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard let sizedStart else { return run(steps[...], .image(image), options) }
        guard let image = sizedStart.finish(image, options: options) else { return nil }
        return run(steps.drop { $0.onlyDecodes }.dropFirst(), .image(image), options)
    }
}

extension ImageProcessor {
    fileprivate var onlyDecodes: Bool { self is DefaultImageProcessor }
}
