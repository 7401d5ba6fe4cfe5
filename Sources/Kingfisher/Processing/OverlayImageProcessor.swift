public import Foundation

/// Lays a picture over a colour of its own shape.
public struct OverlayImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.OverlayImageProcessor(<rgba>_<fraction>)`.
    public let identifier: String

    /// What lies below the picture.
    public let overlay: KFCrossPlatformColor

    /// 0 gives the colour alone, 1 the picture alone.
    public let fraction: CGFloat

    /// Makes a processor.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor("
            + "\(overlay.rgbaDescription)_\(NumberText.number(fraction)))"
    }

    /// Mixes both; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.overlaying(with: overlay, fraction: fraction)
        }
    }
}
