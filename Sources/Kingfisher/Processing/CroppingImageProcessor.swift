public import Foundation

/// Cuts a part of a picture.
public struct CroppingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.CroppingImageProcessor(<size>_<anchor>)`.
    public let identifier: String

    /// The size of the part in points.
    public let size: CGSize

    /// Where the part lies: (0, 0) is the top left corner, (1, 1) the bottom right one.
    public let anchor: CGPoint

    /// Makes a processor; it cuts the middle unless told otherwise.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier =
            "com.onevcat.Kingfisher.CroppingImageProcessor("
            + "\(NumberText.size(size))_\(NumberText.point(anchor)))"
    }

    /// Cuts; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.crop(to: size, anchorOn: anchor) }
    }
}
