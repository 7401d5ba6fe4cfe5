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

extension BuiltInProcessor {
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
        self.init(steps: first.steps + second.steps)
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
        // Given the bytes instead of a decoded image, the first step that draws may never need the
        // full-size bitmap.
        guard case .drawing = Traits(of: start).kind else { return run(steps[...], item, options) }
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

    /// The first step that does more than decode.
    var start: any ImageProcessor { steps.first { !$0.onlyDecodes } ?? steps[0] }
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
