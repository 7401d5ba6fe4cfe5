import Pixels

/// Bounds on the images that processors make.
///
/// A processor that asks for more fails with
/// ``KingfisherError/ProcessorErrorReason/resultTooLarge(processor:size:limits:)`` before memory is
/// allocated. The bounds hold for every step of a chain, for each frame of an animation, and for
/// the processors of your own that draw with the library.
///
/// Set them for one load, or in ``KingfisherManager/defaultOptions``, with
/// ``KingfisherOptionsInfoItem/resultLimits(_:)``. Files have bounds of their own, which are checked
/// against their headers.
public struct ResultLimits: Sendable, Hashable {
    /// The largest number of pixels; an image takes 4 bytes for each.
    public var maxPixelCount: Int
    /// The longest side in pixels; more than 65,535 has no effect.
    public var maxSide: Int

    /// 200 megapixels and 32,767 pixels a side, as for files.
    public static let `default` = ResultLimits()

    /// Makes limits.
    public init(maxPixelCount: Int = 200_000_000, maxSide: Int = 32_767) {
        self.maxPixelCount = maxPixelCount
        self.maxSide = maxSide
    }

    /// A scope that holds allocations to these limits.
    var scope: PixelScope { PixelScope(maxPixelCount: maxPixelCount, maxDimension: maxSide) }
}
