public import Foundation

/// Changes brightness, contrast, saturation and exposure.
///
/// ```swift
/// let processor = ColorControlsProcessor(
///     brightness: 0, contrast: 1.1, saturation: 1.2, inputEV: 0
/// )
/// ```
public struct ColorControlsProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ColorControlsProcessor(<b>_<c>_<s>_<ev>)`.
    public let identifier: String

    /// Added to every channel; 0 changes nothing, 1 turns black into white.
    public let brightness: CGFloat

    /// A factor around middle grey; 1 changes nothing.
    public let contrast: CGFloat

    /// 0 is greyscale, 1 changes nothing.
    public let saturation: CGFloat

    /// The exposure in stops; 1 doubles the brightness of the light.
    public let inputEV: CGFloat

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - brightness: Added to every channel; 0 changes nothing, 1 turns black into white.
    ///   - contrast: A factor around middle grey; 1 changes nothing.
    ///   - saturation: 0 is greyscale, 1 changes nothing.
    ///   - inputEV: The exposure in stops; 0 changes nothing.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        let values = [brightness, contrast, saturation, inputEV].map(NumberText.number)
        identifier =
            "com.onevcat.Kingfisher.ColorControlsProcessor(\(values.joined(separator: "_")))"
    }

    /// Changes the colours; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.adjusted(
                brightness: brightness,
                contrast: contrast,
                saturation: saturation,
                inputEV: inputEV
            )
        }
    }
}

/// Converts an image to greyscale and brightens it slightly.
///
/// ```swift
/// .processor(BlackWhiteProcessor())
/// ```
public struct BlackWhiteProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlackWhiteProcessor`.
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    /// Makes a processor.
    public init() {}

    /// Returns the greyscale image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
            .process(item: item, options: options)
    }
}

/// Draws a colour over the whole area of an image.
///
/// ```swift
/// let processor = TintImageProcessor(
///     tint: KFCrossPlatformColor(red: 1, green: 0.8, blue: 0.6, alpha: 0.3)
/// )
/// ```
public struct TintImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.TintImageProcessor(<rgba>)`.
    public let identifier: String

    /// The colour drawn over the image; a translucent one shows the image through it.
    public let tint: KFCrossPlatformColor

    /// Makes a processor.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = "com.onevcat.Kingfisher.TintImageProcessor(\(tint.rgbaDescription))"
    }

    /// Tints the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.tinted(with: tint) }
    }
}

/// Mixes an image with a colour in the image's shape.
///
/// ```swift
/// .processor(OverlayImageProcessor(overlay: .black, fraction: 0.6))
/// ```
public struct OverlayImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.OverlayImageProcessor(<rgba>_<fraction>)`.
    public let identifier: String

    /// The colour below the image.
    public let overlay: KFCrossPlatformColor

    /// 0 gives only the colour, 1 only the image.
    public let fraction: CGFloat

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - overlay: The colour below the image.
    ///   - fraction: 0 gives only the colour, 1 only the image; clamped to 0…1.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor("
            + "\(overlay.rgbaDescription)_\(NumberText.number(fraction)))"
    }

    /// Mixes the image with the colour; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.overlaying(with: overlay, fraction: fraction)
        }
    }
}

/// Draws an image with a blend mode onto a canvas of its own size.
///
/// ```swift
/// .processor(BlendImageProcessor(blendMode: .multiply, backgroundColor: .yellow))
/// ```
public struct BlendImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlendImageProcessor(<mode>,<alpha>)`, followed by `_<rgba>` if there
    /// is a background colour.
    public let identifier: String

    /// How the image is blended with the canvas.
    public let blendMode: CGBlendMode

    /// The opacity of the image, 0…1.
    public let alpha: CGFloat

    /// The colour of the canvas; nil leaves it transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - blendMode: How the image is blended with the canvas.
    ///   - alpha: The opacity of the image, clamped to 0…1.
    ///   - backgroundColor: The colour of the canvas; nil leaves it transparent.
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

    /// Blends the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
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
