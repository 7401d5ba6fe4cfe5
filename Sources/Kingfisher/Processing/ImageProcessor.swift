public import Foundation
import Pixels

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    /// A decoded image.
    case image(KFCrossPlatformImage)
    /// Encoded bytes.
    case data(Data)
}

/// Turns bytes or an image into another image.
public protocol ImageProcessor: Sendable {
    /// Tells processors and their settings apart; part of the cache key.
    ///
    /// Two processors with equal identifiers are taken for the same. Only
    /// ``DefaultImageProcessor`` has an empty one.
    var identifier: String { get }

    /// Makes the image; nil means failure.
    ///
    /// Called on a thread of the library's own unless the options name a processing queue.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// Chains another processor behind this one; its identifier is `<this>|><other>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(first: self, second: another)
    }
}

infix operator |> : AdditionPrecedence

/// Chains two processors, the left one first.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}

extension ImageProcessor {
    /// Draws on an image of the options' scale; bytes are decoded first.
    ///
    /// - Parameters:
    ///   - item: Bytes go through the default processor, as if it stood before this one.
    ///   - options: Their scale factor is given to an image that has another.
    ///   - draw: Makes the result.
    /// - Returns: The result; nil when the bytes are no picture.
    func drawing(
        on item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        draw: (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options).map(draw)
    }
}

/// Decodes, and nothing else.
public struct DefaultImageProcessor: ImageProcessor {
    /// The shared processor.
    public static let `default` = DefaultImageProcessor()

    /// Empty.
    public let identifier = ""

    /// Makes a processor.
    public init() {}

    /// Decodes bytes, or gives an image the scale of the options.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.kf.scaled(to: options.scaleFactor)
        case .data(let data) where options.isolated:
            // Where a processor of a user's asks for the image of the bytes that it was given.
            IsolatedDecoding.imageForBlockingCaller(of: data, options)
        case .data(let data):
            KingfisherWrapper<KFCrossPlatformImage>
                .image(data: data, options: options.imageCreatingOptions)
        }
    }
}

/// Processors one behind the other; a failure of one ends the chain.
///
/// However they were put together, they stand in one row: `(a |> b) |> c` and `a |> (b |> c)` do
/// the same and have the same identifier.
struct ProcessorChain: ImageProcessor {
    let identifier: String

    let steps: [any ImageProcessor]

    init(first: any ImageProcessor, second: any ImageProcessor) {
        self.init(steps: Self.steps(of: first) + Self.steps(of: second))
    }

    /// Chains processors that are no chains themselves, at least one.
    init(steps: [any ImageProcessor]) {
        self.steps = steps
        identifier = steps.map(\.identifier).joined(separator: "|>")
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

/// Stands for the parts of live photos in the cache: their bytes are kept as they are.
struct LivePhotoImageProcessor: ImageProcessor {
    static let `default` = LivePhotoImageProcessor()

    let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    /// An empty image, because a part may be a movie.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KFCrossPlatformImage()
    }
}
