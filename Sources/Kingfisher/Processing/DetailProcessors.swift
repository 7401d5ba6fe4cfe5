public import Foundation

/// Blurs a picture by an approximate Gaussian.
public struct BlurImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlurImageProcessor(<radius>)`.
    public let identifier: String

    /// The standard deviation in points.
    public let blurRadius: CGFloat

    /// Makes a processor.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier =
            "com.onevcat.Kingfisher.BlurImageProcessor(\(NumberText.number(blurRadius)))"
    }

    /// Blurs by the radius times the options' scale factor; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.blurred(withRadius: blurRadius * options.scaleFactor)
        }
    }
}

/// Sharpens a picture by an unsharp mask.
public struct SharpeningImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.SharpeningImageProcessor(<amount>_<radius>)`.
    public let identifier: String

    /// How much of the lost detail is added, 0…16.
    public let amount: CGFloat

    /// How far detail reaches, in points.
    public let radius: CGFloat

    /// Makes a processor.
    public init(amount: CGFloat = 1, radius: CGFloat = 1) {
        self.amount = amount
        self.radius = radius
        identifier =
            "com.onevcat.Kingfisher.SharpeningImageProcessor("
            + "\(NumberText.number(amount))_\(NumberText.number(radius)))"
    }

    /// Sharpens; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.sharpened(amount: amount, radius: radius) }
    }
}

/// A processor that is made of a filter: what `CIImageProcessor` is on Apple's platforms.
///
/// Only the identifier and the filter are to be given:
///
/// ```swift
/// struct Sepia: FilterProcessor {
///     let identifier = "com.example.sepia"
///     let filter = Filter.tint(KFCrossPlatformColor(red: 0.4, green: 0.2, blue: 0, alpha: 0.3))
/// }
/// ```
public protocol FilterProcessor: ImageProcessor {
    /// What is done to the picture.
    var filter: Filter { get }
}

extension FilterProcessor {
    /// Applies the filter; bytes go through the default processor first.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.apply(filter)
        case .data: drawing(on: item, options: options) { $0.kf.apply(filter) }
        }
    }
}
