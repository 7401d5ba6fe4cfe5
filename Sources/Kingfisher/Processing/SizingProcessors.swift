public import Foundation
import KFCodecs
import KFPixels

/// Decodes directly to a small size; the full-size bitmap is never allocated.
///
/// The longer side of the result is the longer side of ``size`` times the options' scale factor.
/// The aspect ratio is kept, and images are never enlarged.
///
/// ```swift
/// .processor(DownsamplingImageProcessor(size: CGSize(width: 200, height: 200)))
/// ```
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

    /// Decodes bytes at the small size, or scales an image down.
    ///
    /// An image is resampled rather than encoded and decoded again, which is lossless and gives the
    /// same pixels. See ``ImageProcessor/process(item:options:)``.
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

extension DownsamplingImageProcessor {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        guard case .fit(let box) = DownsamplingSize.target(size, scale: scale) else { return nil }
        return own.fitted(inside: box)
    }
}

/// Resizes an image to a reference size.
///
/// ```swift
/// let processor = ResizingImageProcessor(
///     referenceSize: CGSize(width: 300, height: 200), mode: .aspectFill
/// )
/// ```
public struct ResizingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ResizingImageProcessor(<size>[, <mode>])`, followed by `_fast` if it
    /// prefers speed.
    public let identifier: String

    /// The target size in points.
    public let referenceSize: CGSize

    /// How the image is fitted to the size.
    public let targetContentMode: ContentMode

    /// Whether the decoder of a JPEG or lossy WebP file may do the scaling alone; not part of the
    /// original API.
    ///
    /// Otherwise it decodes to at least twice the size where the file has that, and the resampler
    /// does the rest.
    public let prefersSpeed: Bool

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - referenceSize: The target size in points.
    ///   - mode: How the image is fitted to the size.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.init(referenceSize: referenceSize, mode: mode, prefersSpeed: false)
    }

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - referenceSize: The target size in points.
    ///   - mode: How the image is fitted to the size.
    ///   - prefersSpeed: See ``prefersSpeed``.
    public init(referenceSize: CGSize, mode: ContentMode = .none, prefersSpeed: Bool) {
        self.referenceSize = referenceSize
        self.prefersSpeed = prefersSpeed
        targetContentMode = mode
        let size = NumberText.size(referenceSize)
        let name =
            switch mode {
            case .none: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size))"
            case .aspectFit: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size), aspectFit)"
            case .aspectFill: "com.onevcat.Kingfisher.ResizingImageProcessor(\(size), aspectFill)"
            }
        identifier = prefersSpeed ? "\(name)_fast" : name
    }

    /// Resizes; nil if the size is out of range or the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
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
            return SizedDecoder(scale: options.scaleFactor, prefersSpeed: prefersSpeed)
                .image(data, resizedTo: referenceSize, for: targetContentMode)
        }
    }
}

extension ResizingImageProcessor {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        own.resized(to: referenceSize, for: targetContentMode, scale: scale)
    }
}

/// Crops an image.
///
/// ```swift
/// let processor = CroppingImageProcessor(
///     size: CGSize(width: 200, height: 200), anchor: CGPoint(x: 0.5, y: 0.5)
/// )
/// ```
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
    /// Of a JPEG or PNG only the part is decoded, and faults of the file below it are not found.
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        if let part = partDecoding(item, options) { return part.image() }
        return drawing(on: item, options: options) { $0.kf.crop(to: size, anchorOn: anchor) }
    }
}

extension CroppingImageProcessor {
    func keptPart(of size: PixelSize, scale: CGFloat) -> PixelRect? {
        size.part(of: self.size, anchor: anchor, scale: scale)
    }
}

/// Crops to the most salient part of an image, in exactly a given size.
///
/// ```swift
/// .processor(SmartCroppingImageProcessor(size: CGSize(width: 200, height: 200)))
/// ```
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

extension SmartCroppingImageProcessor {
    /// Nil for a smaller image, of which only the part to keep is enlarged.
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        guard size.width * scale <= CGFloat(own.width), size.height * scale <= CGFloat(own.height)
        else { return nil }
        return own.resized(to: size, for: .aspectFill, scale: scale)
    }
}

/// Removes the margin that has the colour of the top left pixel.
///
/// ```swift
/// .processor(TrimmingImageProcessor())
/// ```
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
