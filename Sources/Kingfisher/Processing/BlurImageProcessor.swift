public import Foundation

/// Blurs a picture by an approximate Gaussian.
public struct BlurImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlurImageProcessor(<radius>)`.
    public let identifier: String

    /// The standard deviation in points.
    public let blurRadius: CGFloat

    /// Makes a processor.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier =
            "com.onevcat.Kingfisher.BlurImageProcessor(\(NumberText.number(blurRadius)))"
    }

    /// Blurs by the radius times the options' scale factor; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.blurred(withRadius: blurRadius * options.scaleFactor)
        }
    }
}
