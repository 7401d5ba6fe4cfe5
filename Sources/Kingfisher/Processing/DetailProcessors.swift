public import Foundation

/// Blurs an image with an approximate Gaussian.
///
/// ```swift
/// .processor(BlurImageProcessor(blurRadius: 10))
/// ```
public struct BlurImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlurImageProcessor(<radius>)`.
    public let identifier: String

    /// The standard deviation in points; one of less than 2 pixels counts as 2.
    public let blurRadius: CGFloat

    /// Makes a processor.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier =
            "com.onevcat.Kingfisher.BlurImageProcessor(\(NumberText.number(blurRadius)))"
    }

    /// Blurs the image; nil if the bytes cannot be decoded.
    ///
    /// The radius is multiplied by the options' scale factor. See
    /// ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.blurred(withRadius: blurRadius * options.scaleFactor)
        }
    }
}

/// Sharpens an image with an unsharp mask.
///
/// ```swift
/// .processor(SharpeningImageProcessor(amount: 0.5, radius: 1))
/// ```
public struct SharpeningImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.SharpeningImageProcessor(<amount>_<radius>)`.
    public let identifier: String

    /// The strength, 0…16; 1 is clearly visible.
    public let amount: CGFloat

    /// The radius of the mask in points.
    public let radius: CGFloat

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - amount: The strength, 0…16; 1 is clearly visible.
    ///   - radius: The radius of the mask in points; at least one pixel.
    public init(amount: CGFloat = 1, radius: CGFloat = 1) {
        self.amount = amount
        self.radius = radius
        identifier =
            "com.onevcat.Kingfisher.SharpeningImageProcessor("
            + "\(NumberText.number(amount))_\(NumberText.number(radius)))"
    }

    /// Sharpens the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.sharpened(amount: amount, radius: radius) }
    }
}

/// A processor that applies a filter; the counterpart of `CIImageProcessor`.
///
/// Conforming types provide only the identifier and the filter:
///
/// ```swift
/// struct Sepia: FilterProcessor {
///     let identifier = "com.example.sepia"
///     let filter = Filter.tint(KFCrossPlatformColor(red: 0.4, green: 0.2, blue: 0, alpha: 0.3))
/// }
/// ```
public protocol FilterProcessor: ImageProcessor {
    /// The filter to apply.
    var filter: Filter { get }
}

extension FilterProcessor {
    /// Applies the filter; bytes are decoded by the default processor first.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.apply(filter)
        case .data:
            DefaultImageProcessor.default.process(item: item, options: options)?.kf.apply(filter)
        }
    }
}
