public import Foundation
import KFPixels

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    /// A decoded image.
    case image(KFCrossPlatformImage)
    /// Encoded bytes.
    case data(Data)
}

/// Converts bytes or an image to another image.
public protocol ImageProcessor: Sendable {
    /// Identifies the processor and its settings; part of the cache key.
    ///
    /// Processors with equal identifiers are treated as equal. Only ``DefaultImageProcessor`` has
    /// an empty identifier.
    var identifier: String { get }

    /// Makes the image.
    ///
    /// Called on a thread of this library, unless the options contain a processing queue.
    ///
    /// - Parameters:
    ///   - item: The encoded bytes, or the image of the previous processor.
    ///   - options: The options of the load; the scale factor applies to the result.
    /// - Returns: The image; nil on failure.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// Appends another processor; the identifier becomes `<this>|><other>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(first: self, second: another)
    }
}

infix operator |> : AdditionPrecedence

/// Chains two processors.
///
/// - Parameters:
///   - left: The first processor.
///   - right: The second processor.
/// - Returns: The chain.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}

extension ImageProcessor {
    /// Draws on an image at the options' scale; bytes are decoded first.
    ///
    /// - Parameters:
    ///   - item: Bytes are decoded by the default processor.
    ///   - options: Provide the scale factor of the image.
    ///   - draw: Makes the result.
    /// - Returns: The result; nil if the bytes cannot be decoded.
    func drawing(
        on item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        draw: (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options).map(draw)
    }
}

/// Decodes bytes without further processing.
///
/// ```swift
/// .processor(DefaultImageProcessor.default)
/// ```
public struct DefaultImageProcessor: ImageProcessor {
    /// The shared processor.
    public static let `default` = DefaultImageProcessor()

    /// Empty.
    public let identifier = ""

    /// Makes a processor.
    public init() {}

    /// Decodes bytes, or changes the scale of an image to that of the options.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.kf.scaled(to: options.scaleFactor)
        case .data(let data) where options.isolated:
            // Reached when a custom processor decodes its bytes with the default processor.
            IsolatedDecoding.imageForBlockingCaller(of: data, options)
        case .data(let data):
            KingfisherWrapper<KFCrossPlatformImage>
                .image(data: data, options: options.imageCreatingOptions)
        }
    }
}

/// Processors applied in order; the first failure ends the chain.
///
/// Nested chains are flattened: `(a |> b) |> c` and `a |> (b |> c)` have the same effect and the
/// same identifier.
struct ProcessorChain: ImageProcessor {
    let identifier: String

    let steps: [any ImageProcessor]

    init(first: any ImageProcessor, second: any ImageProcessor) {
        self.init(steps: Self.steps(of: first) + Self.steps(of: second))
    }

    /// Chains at least one processor; none of them is a chain.
    init(steps: [any ImageProcessor]) {
        self.steps = steps
        identifier = steps.map(\.identifier).joined(separator: "|>")
    }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard case .data(let data) = item else { return run(steps[...], item, options) }
        if let part = PartDecoding(data, steps.drop { $0.onlyDecodes }, options) {
            return part.image().flatMap { run(part.rest, .image($0), options) }
        }
        guard sizedStart != nil else { return run(steps[...], item, options) }
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
        guard case .image(let former) = item, let profile = former.kf.colorProfile else {
            return run(steps.dropFirst(), .image(image), options)
        }
        // A step makes a new image with the same meaning of its colours.
        return run(steps.dropFirst(), .image(image.kf.withColorProfile(profile)), options)
    }

    /// The processor that receives the bytes.
    var firstStep: any ImageProcessor { steps[0] }

    /// The first processor that does more than decode, if it decodes to a size of its own.
    ///
    /// Given the bytes instead of a decoded image, it never needs the full-size bitmap.
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

/// Marks the resources of live photos in the cache; their bytes are stored unmodified.
struct LivePhotoImageProcessor: ImageProcessor {
    static let `default` = LivePhotoImageProcessor()

    let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    /// An empty image, because a resource may be a movie.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KFCrossPlatformImage()
    }
}

/// Changes an image just before it is delivered; the change is not cached.
public protocol ImageModifier: Sendable {
    /// Returns the changed image.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// An image modifier that runs a closure.
public struct AnyImageModifier: ImageModifier {
    private let closure: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Makes a modifier.
    public init(
        modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage
    ) {
        closure = modify
    }

    /// Runs the closure; returns the unchanged image if it throws.
    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        // By contract a failing modifier changes nothing.
        (try? closure(image)) ?? image
    }
}
