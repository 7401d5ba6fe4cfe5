public import Foundation
import KFPixels

/// Rounds the corners of an image.
///
/// ```swift
/// .processor(RoundCornerImageProcessor(cornerRadius: 20))
/// ```
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

extension RoundCornerImageProcessor {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        targetSize.flatMap { own.resized(to: $0, for: .none, scale: scale) }
    }
}

/// Draws a watermark over an image.
///
/// ```swift
/// let processor = WatermarkImageProcessor(
///     watermark: logo, anchor: CGPoint(x: 1, y: 1), margin: 8
/// )
/// ```
public struct WatermarkImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.WatermarkImageProcessor(<digest>_<anchor>_<margin>_<alpha>)`; the
    /// digest covers the watermark's pixels, size and scale.
    public let identifier: String

    /// The watermark; drawn in its own size in points.
    public let watermark: KFCrossPlatformImage

    /// The position: (0, 0) is the top left corner, (1, 1) the bottom right one.
    public let anchor: CGPoint

    /// The distance from the edges in points.
    public let margin: CGFloat

    /// The opacity of the watermark, 0…1.
    public let alpha: CGFloat

    /// Makes a processor; reads all pixels of the watermark once for the identifier.
    ///
    /// - Parameters:
    ///   - watermark: Drawn in its own size in points.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one.
    ///   - margin: The distance from the edges in points.
    ///   - alpha: The opacity of the watermark, clamped to 0…1.
    public init(
        watermark: KFCrossPlatformImage,
        anchor: CGPoint = CGPoint(x: 1, y: 1),
        margin: CGFloat = 0,
        alpha: CGFloat = 1
    ) {
        self.watermark = watermark
        self.anchor = anchor
        self.margin = margin
        self.alpha = alpha
        identifier =
            "com.onevcat.Kingfisher.WatermarkImageProcessor(\(Self.digest(of: watermark))"
            + "_\(NumberText.point(anchor))_\(NumberText.number(margin))"
            + "_\(NumberText.number(alpha)))"
    }

    /// Draws the watermark; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.watermarked(with: watermark, anchor: anchor, margin: margin, alpha: alpha)
        }
    }

    /// Sixteen hexadecimal digits, which are the same for the same pixels in every process.
    private static func digest(of image: KFCrossPlatformImage) -> String {
        let hash = SHA256()
        let looks = "\(image.pixelWidth)x\(image.pixelHeight)@\(NumberText.number(image.scale))"
        hash.update(Data(looks.utf8))
        image.withPremultipliedRGBA { pixels, bytesPerRow in
            for row in 0..<image.pixelHeight {
                let start = row * bytesPerRow
                let bytes = pixels[start..<(start + image.pixelWidth * 4)]
                hash.update(UnsafeRawBufferPointer(rebasing: bytes))
            }
        }
        // 64 bits make accidental collisions negligible and are short enough for a key.
        return hash.finalize()[..<8].withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}
