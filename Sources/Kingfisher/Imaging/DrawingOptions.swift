public import Foundation
import KFPixels

/// How an image is fitted to a size.
public enum ContentMode: Sendable {
    /// Stretched to the size, without keeping the aspect ratio.
    case none
    /// Fits inside the size, keeping the aspect ratio.
    case aspectFit
    /// Covers the size, keeping the aspect ratio.
    case aspectFill
}

/// The direction in which an image is mirrored.
public enum FlipDirection: String, Hashable, Sendable, CaseIterable {
    /// Left becomes right.
    case horizontal
    /// Top becomes bottom.
    case vertical
}

/// A set of corners of a rectangle.
public struct RectCorner: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Bit 0.
    public static let topLeft = RectCorner(rawValue: 1 << 0)
    /// Bit 1.
    public static let topRight = RectCorner(rawValue: 1 << 1)
    /// Bit 2.
    public static let bottomLeft = RectCorner(rawValue: 1 << 2)
    /// Bit 3.
    public static let bottomRight = RectCorner(rawValue: 1 << 3)
    /// All four.
    public static let all: RectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    var identifier: String {
        self == .all ? "" : "_corner(\(rawValue))"
    }
}

/// The radius of a rounded corner.
public enum Radius: Sendable {
    /// A fraction of the width.
    case widthFraction(CGFloat)
    /// A fraction of the height.
    case heightFraction(CGFloat)
    /// A length in points.
    case point(CGFloat)

    /// The radius in points for an image of `size`.
    public func compute(with size: CGSize) -> CGFloat {
        switch self {
        case .widthFraction(let fraction): size.width * fraction
        case .heightFraction(let fraction): size.height * fraction
        case .point(let point): point
        }
    }

    var identifier: String {
        switch self {
        case .widthFraction(let fraction): "w_frac_\(NumberText.number(fraction))"
        case .heightFraction(let fraction): "h_frac_\(NumberText.number(fraction))"
        case .point(let point): NumberText.number(point)
        }
    }
}

/// The style of a border drawn inside the edges of an image.
public struct Border: Sendable {
    /// The colour of the stroke; a translucent one shows the image through it.
    public var color: KFCrossPlatformColor

    /// The width of the stroke in points.
    public var lineWidth: CGFloat

    /// The radius of the border's corners.
    public var radius: Radius

    /// The corners to round.
    public var roundingCorners: RectCorner

    /// Makes a border; by default black, four points wide, with square corners.
    ///
    /// - Parameters:
    ///   - color: The colour of the stroke.
    ///   - lineWidth: The width of the stroke in points.
    ///   - radius: The radius of the corners.
    ///   - roundingCorners: The corners to round.
    public init(
        color: KFCrossPlatformColor = .black,
        lineWidth: CGFloat = 4,
        radius: Radius = .point(0),
        roundingCorners: RectCorner = .all
    ) {
        self.color = color
        self.lineWidth = lineWidth
        self.radius = radius
        self.roundingCorners = roundingCorners
    }

    /// `<rgba>_<width>_<radius>[_corner(<bits>)]`.
    var identifier: String {
        let width = NumberText.number(lineWidth)
        return "\(color.rgbaDescription)_\(width)_\(radius.identifier)\(roundingCorners.identifier)"
    }
}

/// Limits on the size of images made by processors.
///
/// A processor that exceeds a limit fails with
/// ``ProcessingError/resultTooLarge(size:limits:)`` before memory is
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
