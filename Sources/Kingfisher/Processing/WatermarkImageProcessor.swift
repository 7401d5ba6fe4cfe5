public import Foundation

/// Draws a watermark over an image.
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
