public import Foundation

/// Draws a picture with a blend mode onto a canvas of its own size.
public struct BlendImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlendImageProcessor(<mode>,<alpha>)`, with `_<rgba>` behind it when
    /// there is a background colour.
    public let identifier: String

    /// How the picture is mixed with the canvas.
    public let blendMode: CGBlendMode

    /// The picture's opacity, 0…1.
    public let alpha: CGFloat

    /// The canvas's colour; nil for transparency.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    public init(
        blendMode: CGBlendMode,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.blendMode = blendMode
        self.alpha = alpha
        self.backgroundColor = backgroundColor
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.BlendImageProcessor("
            + "\(blendMode.rawValue),\(NumberText.number(alpha)))\(background)"
    }

    /// Draws the picture; nil when the bytes are none.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.image(
                withBlendMode: blendMode,
                alpha: alpha,
                backgroundColor: backgroundColor
            )
        }
    }
}
