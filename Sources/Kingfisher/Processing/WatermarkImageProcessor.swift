public import Foundation

/// Lays a watermark over a picture.
public struct WatermarkImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.WatermarkImageProcessor(<digest>_<anchor>_<margin>_<alpha>)`; the
    /// digest stands for the watermark's pixels and scale.
    public let identifier: String

    /// What is laid over the picture, in its own size in points.
    public let watermark: KFCrossPlatformImage

    /// Where it lies: (0, 0) is the top left corner, (1, 1) the bottom right one.
    public let anchor: CGPoint

    /// How far from the edges it stays, in points.
    public let margin: CGFloat

    /// Its opacity, 0…1.
    public let alpha: CGFloat

    /// Makes a processor; cost: one pass over the watermark, for the identifier.
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

    /// Draws both; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.watermarked(with: watermark, anchor: anchor, margin: margin, alpha: alpha)
        }
    }

    /// Sixteen hexadecimal digits that are the same for the same pixels in every run.
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
        // 64 bits: what an accident cannot meet, and short enough for a key.
        return hash.finalize()[..<8].withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}
