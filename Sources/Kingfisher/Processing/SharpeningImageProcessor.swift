public import Foundation

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
