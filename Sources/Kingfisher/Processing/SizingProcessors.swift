import Codecs
public import Foundation
import Pixels

/// Decodes straight to a small size: the full picture never exists.
///
/// The longest side of the result is the longest side of ``size`` times the options' scale factor;
/// the ratio is kept and nothing is ever enlarged.
public struct DownsamplingImageProcessor: ImageProcessor {
    /// The target size in points.
    public let size: CGSize

    /// `com.onevcat.Kingfisher.DownsamplingImageProcessor(<size>)`.
    public let identifier: String

    /// Makes a processor.
    public init(size: CGSize) {
        self.size = size
        identifier =
            "com.onevcat.Kingfisher.DownsamplingImageProcessor(\(NumberText.size(size)))"
    }

    /// Decodes bytes small, or scales an image down.
    ///
    /// An image is scaled as it is rather than encoded and decoded again: the pixels come out the
    /// same and nothing is lost.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.downsampled(to: size, scale: options.scaleFactor)
        case .data(let data) where options.isolated:
            IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        case .data(let data):
            KingfisherWrapper<KFCrossPlatformImage>
                .downsampledImage(data: data, to: size, scale: options.scaleFactor)
        }
    }
}

extension DownsamplingImageProcessor: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        guard case .fit(let box) = DownsamplingSize.target(size, scale: scale) else { return nil }
        return own.fitted(inside: box)
    }

    /// The picture as it is: measuring it again might be off by the rounding of a pixel.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        image
    }
}

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
        case .data(let data) where options.isolated:
            return IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
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
