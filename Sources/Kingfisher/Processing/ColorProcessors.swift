public import Foundation

/// Changes brightness, contrast, saturation and exposure.
public struct ColorControlsProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ColorControlsProcessor(<b>_<c>_<s>_<ev>)`.
    public let identifier: String

    /// Added to every channel; 0 changes nothing, 1 makes black white.
    public let brightness: CGFloat

    /// The factor about the middle grey; 1 changes nothing.
    public let contrast: CGFloat

    /// 0 is grey, 1 changes nothing.
    public let saturation: CGFloat

    /// The exposure in stops; 1 doubles the light.
    public let inputEV: CGFloat

    /// Makes a processor.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        let values = [brightness, contrast, saturation, inputEV].map(NumberText.number)
        identifier =
            "com.onevcat.Kingfisher.ColorControlsProcessor(\(values.joined(separator: "_")))"
    }

    /// Changes the colours; nil when the bytes are no picture.
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

/// Takes the colour out of a picture, and makes it a little brighter.
public struct BlackWhiteProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlackWhiteProcessor`.
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    /// Makes a processor.
    public init() {}

    /// Gives the grey picture; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
            .process(item: item, options: options)
    }
}

/// Lays a colour over a picture's whole extent.
public struct TintImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.TintImageProcessor(<rgba>)`.
    public let identifier: String

    /// What lies over the picture; its alpha lets the picture show through.
    public let tint: KFCrossPlatformColor

    /// Makes a processor.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = "com.onevcat.Kingfisher.TintImageProcessor(\(tint.rgbaDescription))"
    }

    /// Tints; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.tinted(with: tint) }
    }
}

/// Lays a picture over a colour of its own shape.
public struct OverlayImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.OverlayImageProcessor(<rgba>_<fraction>)`.
    public let identifier: String

    /// What lies below the picture.
    public let overlay: KFCrossPlatformColor

    /// 0 gives the colour alone, 1 the picture alone.
    public let fraction: CGFloat

    /// Makes a processor.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor("
            + "\(overlay.rgbaDescription)_\(NumberText.number(fraction)))"
    }

    /// Mixes both; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.overlaying(with: overlay, fraction: fraction)
        }
    }
}

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
