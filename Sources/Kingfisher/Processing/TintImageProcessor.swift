/// Lays a colour over a picture's whole extent.
public struct TintImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.TintImageProcessor(<rgba>)`.
    public let identifier: String

    /// What lies over the picture; its alpha lets the picture show through.
    public let tint: KFCrossPlatformColor

    /// Makes a processor.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = "com.onevcat.Kingfisher.TintImageProcessor(\(tint.rgbaDescription))"
    }

    /// Tints; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.tinted(with: tint) }
    }
}
