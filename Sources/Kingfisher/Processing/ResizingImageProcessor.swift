public import Foundation
import Pixels

/// Resizes to a reference size by content mode.
public struct ResizingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ResizingImageProcessor(<size>[, <mode>])`.
    public let identifier: String

    /// The target size in points.
    public let referenceSize: CGSize

    /// How the picture is fitted into it.
    public let targetContentMode: ContentMode

    /// Makes a processor.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.referenceSize = referenceSize
        targetContentMode = mode
        let size = NumberText.size(referenceSize)
        identifier =
            switch mode {
            case .none: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size))"
            case .aspectFit: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size), aspectFit)"
            case .aspectFill: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size), aspectFill)"
            }
    }

    /// Resizes; nil when the size has no pixels or too many, or the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            return image.kf.scaled(to: options.scaleFactor)
                .resized(to: referenceSize, for: targetContentMode)
        case .data(let data):
            return SizedDecoder(scale: options.scaleFactor)
                .image(data, resizedTo: referenceSize, for: targetContentMode)
        }
    }
}

extension ResizingImageProcessor: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        own.resized(to: referenceSize, for: targetContentMode, scale: scale)
    }

    /// The picture as it is: measuring it again might be off by the rounding of a pixel.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        image
    }
}
