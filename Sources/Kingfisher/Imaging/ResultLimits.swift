import Pixels

/// Limits on the size of images made by processors.
///
/// A processor that exceeds a limit fails with
/// ``KingfisherError/ProcessorErrorReason/resultTooLarge(processor:size:limits:)`` before memory is
/// allocated. The limits apply to every step of a chain, to each frame of an animation, and to
/// custom processors that draw with this library.
///
/// Set them for a load or in ``KingfisherManager/defaultOptions`` with
/// ``KingfisherOptionsInfoItem/resultLimits(_:)``. Decoding has its own limits, which are checked
/// against the header of the file.
public struct ResultLimits: Sendable, Hashable {
    /// The maximum number of pixels; each takes 4 bytes.
    public var maxPixelCount: Int
    /// The maximum length of a side in pixels; values above 65,535 have no effect.
    public var maxSide: Int

    /// 200 megapixels and 32,767 pixels per side, as for decoding.
    public static let `default` = ResultLimits()

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - maxPixelCount: The maximum number of pixels.
    ///   - maxSide: The maximum length of a side in pixels.
    public init(maxPixelCount: Int = 200_000_000, maxSide: Int = 32_767) {
        self.maxPixelCount = maxPixelCount
        self.maxSide = maxSide
    }

    /// A scope that applies these limits to allocations.
    var scope: PixelScope { PixelScope(maxPixelCount: maxPixelCount, maxDimension: maxSide) }
}
