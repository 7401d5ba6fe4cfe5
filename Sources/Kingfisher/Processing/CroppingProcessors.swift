public import Foundation
import Pixels

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

/// Cuts the part that draws attention, and brings it to exactly a size.
public struct SmartCroppingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.SmartCroppingImageProcessor(<size>)`.
    public let identifier: String

    /// The size of the result in points.
    public let size: CGSize

    /// Makes a processor.
    public init(size: CGSize) {
        self.size = size
        identifier =
            "com.onevcat.Kingfisher.SmartCroppingImageProcessor(\(NumberText.size(size)))"
    }

    /// Crops; bytes are decoded to the smallest size that covers the result.
    ///
    /// Nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        sized(item, options: options) { $0.kf.smartCropped(to: size) }
    }
}

extension SmartCroppingImageProcessor: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        own.resized(to: size, for: .aspectFill, scale: scale)
    }
}

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
