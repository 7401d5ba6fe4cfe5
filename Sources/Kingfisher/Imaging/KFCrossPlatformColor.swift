public import Foundation
package import KFPixels

/// A colour in extended sRGB with straight alpha; the counterpart of `UIColor`.
public struct KFCrossPlatformColor: Hashable, Sendable {
    /// Red; 0…1 inside sRGB, outside that range for wider gamuts.
    public let red: CGFloat
    /// Green; 0…1 inside sRGB, outside that range for wider gamuts.
    public let green: CGFloat
    /// Blue; 0…1 inside sRGB, outside that range for wider gamuts.
    public let blue: CGFloat
    /// Opacity, 0…1.
    public let alpha: CGFloat

    /// Makes a colour from its components.
    ///
    /// - Parameters:
    ///   - red: 0…1 inside sRGB.
    ///   - green: 0…1 inside sRGB.
    ///   - blue: 0…1 inside sRGB.
    ///   - alpha: The opacity, 0…1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Makes a grey.
    ///
    /// - Parameters:
    ///   - white: The brightness, from 0 (black) to 1 (white).
    ///   - alpha: The opacity, 0…1.
    public init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Makes a colour from hue, saturation and brightness.
    ///
    /// - Parameters:
    ///   - hue: The angle on the colour circle, 0…1; 0 is red.
    ///   - saturation: 0…1.
    ///   - brightness: 0…1.
    ///   - alpha: The opacity, 0…1.
    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        // Each channel is the brightness less a tent over the hue circle, 2/6 of a turn apart.
        func channel(_ offset: CGFloat) -> CGFloat {
            let position = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            let tent = max(0, min(position, 4 - position, 1))
            return brightness - brightness * saturation * tent
        }
        self.init(red: channel(5), green: channel(3), blue: channel(1), alpha: alpha)
    }

    /// Makes a colour from components in Display P3.
    ///
    /// The components are converted to extended sRGB, where colours outside sRGB's gamut have
    /// components below 0 or above 1. Source of the matrix: SMPTE EG 432-1 primaries to those of
    /// IEC 61966-2-1, both with white D65.
    ///
    /// - Parameters:
    ///   - red: 0…1 in Display P3.
    ///   - green: 0…1 in Display P3.
    ///   - blue: 0…1 in Display P3.
    ///   - alpha: The opacity, 0…1.
    public init(
        displayP3Red red: CGFloat,
        green: CGFloat,
        blue: CGFloat,
        alpha: CGFloat
    ) {
        let (r, g, b) = (Self.linear(red), Self.linear(green), Self.linear(blue))
        self.init(
            red: Self.encoded(1.2249401763 * r - 0.2249401763 * g),
            green: Self.encoded(-0.0420569547 * r + 1.0420569547 * g),
            blue: Self.encoded(-0.0196375546 * r - 0.0786360456 * g + 1.0982736001 * b),
            alpha: alpha
        )
    }

    /// The linear light of an encoded component; odd, so that negative components keep their sign.
    private static func linear(_ value: CGFloat) -> CGFloat {
        let size = abs(value)
        let light = size <= 0.04045 ? size / 12.92 : pow((size + 0.055) / 1.055, 2.4)
        return value < 0 ? -light : light
    }

    /// The inverse of ``linear(_:)``.
    private static func encoded(_ light: CGFloat) -> CGFloat {
        let size = abs(light)
        let value = size <= 0.0031308 ? size * 12.92 : 1.055 * pow(size, 1 / 2.4) - 0.055
        return light < 0 ? -value : value
    }

    /// The same colour with a different opacity.
    public func withAlphaComponent(_ alpha: CGFloat) -> KFCrossPlatformColor {
        KFCrossPlatformColor(red: red, green: green, blue: blue, alpha: alpha)
    }
}

extension KFCrossPlatformColor {
    /// White 0.
    public static let black = KFCrossPlatformColor(white: 0, alpha: 1)
    /// White 1/3.
    public static let darkGray = KFCrossPlatformColor(white: 1 / 3, alpha: 1)
    /// White 2/3.
    public static let lightGray = KFCrossPlatformColor(white: 2 / 3, alpha: 1)
    /// White 1.
    public static let white = KFCrossPlatformColor(white: 1, alpha: 1)
    /// White 1/2.
    public static let gray = KFCrossPlatformColor(white: 0.5, alpha: 1)
    /// RGB 1, 0, 0.
    public static let red = KFCrossPlatformColor(red: 1, green: 0, blue: 0, alpha: 1)
    /// RGB 0, 1, 0.
    public static let green = KFCrossPlatformColor(red: 0, green: 1, blue: 0, alpha: 1)
    /// RGB 0, 0, 1.
    public static let blue = KFCrossPlatformColor(red: 0, green: 0, blue: 1, alpha: 1)
    /// RGB 0, 1, 1.
    public static let cyan = KFCrossPlatformColor(red: 0, green: 1, blue: 1, alpha: 1)
    /// RGB 1, 1, 0.
    public static let yellow = KFCrossPlatformColor(red: 1, green: 1, blue: 0, alpha: 1)
    /// RGB 1, 0, 1.
    public static let magenta = KFCrossPlatformColor(red: 1, green: 0, blue: 1, alpha: 1)
    /// RGB 1, 0.5, 0.
    public static let orange = KFCrossPlatformColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    /// RGB 0.5, 0, 0.5.
    public static let purple = KFCrossPlatformColor(red: 0.5, green: 0, blue: 0.5, alpha: 1)
    /// RGB 0.6, 0.4, 0.2.
    public static let brown = KFCrossPlatformColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1)
    /// Transparent black.
    public static let clear = KFCrossPlatformColor(white: 0, alpha: 0)
}

extension KFCrossPlatformColor {
    /// `(r,g,b,a)` with two decimals each, as used in processor identifiers.
    var rgbaDescription: String {
        let parts = [red, green, blue, alpha].map { String(format: "%.2f", Double($0)) }
        return "(" + parts.joined(separator: ",") + ")"
    }

    /// The nearest colour that a bitmap can store; components are clamped to 0…1.
    package var rgba: RGBA {
        func byte(_ value: CGFloat) -> UInt8 {
            value.isNaN ? 0 : UInt8((min(1, max(0, value)) * 255).rounded())
        }
        return RGBA(red: byte(red), green: byte(green), blue: byte(blue), alpha: byte(alpha))
    }
}
