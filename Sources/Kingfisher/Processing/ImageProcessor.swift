public import Foundation

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
