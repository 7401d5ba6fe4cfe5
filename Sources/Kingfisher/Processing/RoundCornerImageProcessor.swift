public import Foundation
import Pixels

/// Rounds the corners of a picture.
public struct RoundCornerImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.RoundCornerImageProcessor(<radius>[_<size>][_corner(<bits>)])`,
    /// with `_<rgba>` behind it when there is a background colour.
    public let identifier: String

    /// The radius of each corner.
    public let radius: Radius

    /// The corners that are rounded.
    public let roundingCorners: RectCorner

    /// The size of the result in points; nil for the picture's own.
    public let targetSize: CGSize?

    /// The colour behind the picture; nil for transparency.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor with a radius in points.
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
    /// Nil when the bytes are no picture.
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
