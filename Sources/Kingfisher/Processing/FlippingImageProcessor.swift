/// Mirrors a picture.
public struct FlippingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.FlippingImageProcessor(<direction>)`.
    public let identifier: String

    /// Which way it is mirrored.
    public let direction: FlipDirection

    /// Makes a processor.
    public init(_ direction: FlipDirection) {
        self.direction = direction
        identifier = "com.onevcat.Kingfisher.FlippingImageProcessor(\(direction.rawValue))"
    }

    /// Mirrors; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.flipped(direction) }
    }
}
