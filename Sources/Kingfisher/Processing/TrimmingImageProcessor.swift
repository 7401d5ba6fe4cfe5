public import Foundation

/// Cuts away the margin that has the colour of the top left pixel.
public struct TrimmingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.TrimmingImageProcessor(<tolerance>)`.
    public let identifier: String

    /// How far the margin's channels may be from that colour, 0…1.
    public let tolerance: CGFloat

    /// Makes a processor; it cuts what has exactly that colour unless told otherwise.
    public init(tolerance: CGFloat = 0) {
        self.tolerance = tolerance
        identifier =
            "com.onevcat.Kingfisher.TrimmingImageProcessor(\(NumberText.number(tolerance)))"
    }

    /// Trims; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.trimmed(tolerance: tolerance) }
    }
}
