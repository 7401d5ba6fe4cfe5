public import Foundation

/// Composites an image with a colour or a transparent canvas, with the names of AppKit.
///
/// The counterpart of ``BlendImageProcessor`` in code that was written for macOS.
///
/// ```swift
/// let processor = CompositingImageProcessor(
///     compositingOperation: .multiply, backgroundColor: .yellow
/// )
/// ```
public struct CompositingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.CompositingImageProcessor(<operation>,<alpha>)`, followed by
    /// `_<rgba>` if there is a background colour.
    public let identifier: String

    /// How the image is composited with the canvas.
    public let compositingOperation: NSCompositingOperation

    /// The opacity of the image, 0…1.
    public let alpha: CGFloat

    /// The colour of the canvas; nil leaves it transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - compositingOperation: How the image is composited with the canvas.
    ///   - alpha: The opacity of the image, clamped to 0…1.
    ///   - backgroundColor: The colour of the canvas; nil leaves it transparent.
    public init(
        compositingOperation: NSCompositingOperation,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.compositingOperation = compositingOperation
        self.alpha = alpha
        self.backgroundColor = backgroundColor
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.CompositingImageProcessor("
            + "\(compositingOperation.rawValue),\(NumberText.number(alpha)))\(background)"
    }

    /// Composites the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.image(
                withCompositingOperation: compositingOperation,
                alpha: alpha,
                backgroundColor: backgroundColor
            )
        }
    }
}
