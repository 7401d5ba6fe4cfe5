/// Draws a border inside a picture's edges.
public struct BorderImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BorderImageProcessor(<rgba>_<width>_<radius>[_corner(<bits>)])`.
    public var identifier: String {
        "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifier))"
    }

    /// The looks of the border.
    public let border: Border

    /// Makes a processor.
    public init(border: Border) {
        self.border = border
    }

    /// Draws the border; an image keeps its own scale.
    ///
    /// Nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.kf.addingBorder(border)
        case .data:
            drawing(on: item, options: options) { $0.kf.addingBorder(border) }
        }
    }
}
