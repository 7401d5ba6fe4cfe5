public import Foundation
import Pixels

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
