public import Foundation
import Pixels

/// Rounds the corners of an image.
public struct RoundCornerImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.RoundCornerImageProcessor(<radius>[_<size>][_corner(<bits>)])`,
    /// followed by `_<rgba>` if there is a background colour.
    public let identifier: String

    /// The radius of each corner.
    public let radius: Radius

    /// The corners to round.
    public let roundingCorners: RectCorner

    /// The size of the result in points; nil for the size of the image.
    public let targetSize: CGSize?

    /// The colour behind the image; nil leaves it transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor with a radius in points.
    ///
    /// See ``init(radius:targetSize:roundingCorners:backgroundColor:)``.
    public init(
        cornerRadius: CGFloat,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.init(
            radius: .point(cornerRadius),
            targetSize: targetSize,
            roundingCorners: corners,
            backgroundColor: backgroundColor
        )
    }

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner.
    ///   - targetSize: The size of the result in points; nil for the size of the image.
    ///   - corners: The corners to round.
    ///   - backgroundColor: The colour behind the image; nil leaves it transparent.
    public init(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.radius = radius
        self.targetSize = targetSize
        roundingCorners = corners
        self.backgroundColor = backgroundColor
        let size = targetSize.map { "_\(NumberText.size($0))" } ?? ""
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.RoundCornerImageProcessor("
            + "\(radius.identifier)\(size)\(corners.identifier))\(background)"
    }

    /// Rounds the corners; bytes are decoded to ``targetSize`` if there is one.
    ///
    /// Nil if the bytes cannot be decoded. See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        sized(item, options: options) {
            $0.kf.image(
                withRadius: radius,
                fit: targetSize ?? $0.size,
                roundingCorners: roundingCorners,
                backgroundColor: backgroundColor
            )
        }
    }
}

extension RoundCornerImageProcessor: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        targetSize.flatMap { own.resized(to: $0, for: .none, scale: scale) }
    }
}
