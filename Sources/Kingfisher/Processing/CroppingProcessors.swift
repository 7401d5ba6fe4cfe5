public import Foundation
import Pixels

/// Crops an image.
public struct CroppingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.CroppingImageProcessor(<size>_<anchor>)`.
    public let identifier: String

    /// The size of the result in points.
    public let size: CGSize

    /// The position of the crop: (0, 0) is the top left corner, (1, 1) the bottom right one.
    public let anchor: CGPoint

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - size: The size of the result in points.
    ///   - anchor: (0, 0) keeps the top left corner, (1, 1) the bottom right one; by default the
    ///     centre.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier =
            "com.onevcat.Kingfisher.CroppingImageProcessor("
            + "\(NumberText.size(size))_\(NumberText.point(anchor)))"
    }

    /// Crops the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.crop(to: size, anchorOn: anchor) }
    }
}

/// Crops to the most salient part of an image, in exactly a given size.
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

    /// Crops the image; bytes are decoded to the smallest size that covers the result.
    ///
    /// Nil if the bytes cannot be decoded. See ``ImageProcessor/process(item:options:)``.
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

/// Removes the margin that has the colour of the top left pixel.
public struct TrimmingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.TrimmingImageProcessor(<tolerance>)`.
    public let identifier: String

    /// The maximum difference per channel from that colour, 0…1.
    public let tolerance: CGFloat

    /// Makes a processor; by default it removes only pixels of exactly that colour.
    public init(tolerance: CGFloat = 0) {
        self.tolerance = tolerance
        identifier =
            "com.onevcat.Kingfisher.TrimmingImageProcessor(\(NumberText.number(tolerance)))"
    }

    /// Trims the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.trimmed(tolerance: tolerance) }
    }
}
