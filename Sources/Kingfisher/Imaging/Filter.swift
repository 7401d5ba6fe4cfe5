public import Foundation
import KFPixels

/// A transformation of an image's pixels.
public struct Filter: Sendable {
    let transform: @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?

    /// Makes a filter from a closure.
    ///
    /// - Parameter transform: Returns the changed image, or nil to keep the original. Called on any
    ///   thread.
    public init(
        transform: @escaping @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?
    ) {
        self.transform = transform
    }

    /// Makes a filter that draws a colour over the whole image.
    public static let tint: @Sendable (KFCrossPlatformColor) -> Filter = { color in
        Filter { $0.kf.tinted(with: color) }
    }

    /// Makes a filter that changes brightness, contrast and saturation, then the exposure.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        Filter {
            $0.kf.adjusted(
                brightness: element.brightness,
                contrast: element.contrast,
                saturation: element.saturation,
                inputEV: element.inputEV
            )
        }
    }

    /// The values of ``colorControl``.
    public struct ColorElement: Hashable, Sendable {
        /// Added to every channel; 0 changes nothing, 1 turns black into white.
        public let brightness: CGFloat
        /// A factor around middle grey; 1 changes nothing.
        public let contrast: CGFloat
        /// 0 is greyscale, 1 changes nothing.
        public let saturation: CGFloat
        /// The exposure in stops; 1 doubles the brightness of the light.
        public let inputEV: CGFloat

        /// Makes a set of values.
        ///
        /// - Parameters:
        ///   - brightness: Added to every channel; 0 changes nothing.
        ///   - contrast: A factor around middle grey; 1 changes nothing.
        ///   - saturation: 0 is greyscale, 1 changes nothing.
        ///   - inputEV: The exposure in stops; 0 changes nothing.
        public init(
            brightness: CGFloat,
            contrast: CGFloat,
            saturation: CGFloat,
            inputEV: CGFloat
        ) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
            self.inputEV = inputEV
        }
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the filtered image; the image itself if the filter returns nil.
    public func apply(_ filter: Filter) -> KFCrossPlatformImage {
        filter.transform(base) ?? base
    }
}

/// How an image is blended with a backdrop; names and raw values are those of Core Graphics.
///
/// Formulas: W3C, Compositing and Blending Level 1 (https://www.w3.org/TR/compositing-1/).
public enum CGBlendMode: Int32, Hashable, Sendable, CaseIterable {
    /// The image over the backdrop.
    case normal = 0
    /// The product of both; never lighter than either.
    case multiply = 1
    /// The inverted product of the inverted colours; never darker than either.
    case screen = 2
    /// Multiply or screen, depending on the backdrop.
    case overlay = 3
    /// The darker of the two, per channel.
    case darken = 4
    /// The lighter of the two, per channel.
    case lighten = 5
    /// Brightens the backdrop to reflect the image.
    case colorDodge = 6
    /// Darkens the backdrop to reflect the image.
    case colorBurn = 7
    /// Darkens or lightens softly, depending on the image.
    case softLight = 8
    /// Multiply or screen, depending on the image.
    case hardLight = 9
    /// The absolute difference.
    case difference = 10
    /// Like the difference, but with less contrast.
    case exclusion = 11
    /// The hue of the image with the saturation and luminosity of the backdrop.
    case hue = 12
    /// The saturation of the image with the hue and luminosity of the backdrop.
    case saturation = 13
    /// The hue and saturation of the image with the luminosity of the backdrop.
    case color = 14
    /// The luminosity of the image with the hue and saturation of the backdrop.
    case luminosity = 15
    /// Transparent.
    case clear = 16
    /// Only the image.
    case copy = 17
    /// The image where the backdrop is opaque.
    case sourceIn = 18
    /// The image where the backdrop is transparent.
    case sourceOut = 19
    /// The image over the backdrop, only where the backdrop is opaque.
    case sourceAtop = 20
    /// The backdrop over the image.
    case destinationOver = 21
    /// The backdrop where the image is opaque.
    case destinationIn = 22
    /// The backdrop where the image is transparent.
    case destinationOut = 23
    /// The backdrop over the image, only where the image is opaque.
    case destinationAtop = 24
    /// Each of the two where the other is transparent.
    case xor = 25
    /// The sum, reduced by the excess over full coverage.
    case plusDarker = 26
    /// The sum, clamped to white.
    case plusLighter = 27

    /// The corresponding mode of the Pixels module.
    var kernel: BlendMode {
        // Both lists have the same public constants; a test checks that.
        BlendMode(rawValue: Int(rawValue)) ?? .normal
    }
}
