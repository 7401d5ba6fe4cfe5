import Foundation
import KFPixels

/// The difference of two colours in sRGB as people see it.
///
/// Source: ISO/CIE 11664-6 (CIEDE2000); IEC 61966-2-1. White is D65, as both colours have it.
enum ColorDifference {
    /// ΔE₀₀ of colours whose channels are 0…255, or fractions of it.
    static func between(_ one: [Double], _ other: [Double]) -> Double {
        let (first, second) = (lab(one), lab(other))
        let chroma = (hypot(first[1], first[2]) + hypot(second[1], second[2])) / 2
        let seventh = pow(chroma, 7)
        let stretch = 1 + 0.5 * (1 - sqrt(seventh / (seventh + pow(25, 7))))
        let (redOne, redTwo) = (first[1] * stretch, second[1] * stretch)
        let (chromaOne, chromaTwo) = (hypot(redOne, first[2]), hypot(redTwo, second[2]))
        let (hueOne, hueTwo) = (angle(first[2], redOne), angle(second[2], redTwo))
        let isGrey = chromaOne * chromaTwo == 0
        var turn = isGrey ? 0 : hueTwo - hueOne
        if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        let lightness = second[0] - first[0]
        let saturation = chromaTwo - chromaOne
        let hue = 2 * sqrt(chromaOne * chromaTwo) * sin(radians(turn / 2))
        var meanHue = isGrey ? hueOne + hueTwo : (hueOne + hueTwo) / 2
        if !isGrey, abs(hueOne - hueTwo) > 180 { meanHue += meanHue < 180 ? 180 : -180 }
        let meanChroma = (chromaOne + chromaTwo) / 2
        let meanLightness = (first[0] + second[0]) / 2
        let weight =
            1 - 0.17 * cos(radians(meanHue - 30)) + 0.24 * cos(radians(2 * meanHue))
            + 0.32 * cos(radians(3 * meanHue + 6)) - 0.2 * cos(radians(4 * meanHue - 63))
        let square = (meanLightness - 50) * (meanLightness - 50)
        let scaleLight = 1 + 0.015 * square / sqrt(20 + square)
        let scaleChroma = 1 + 0.045 * meanChroma
        let scaleHue = 1 + 0.015 * meanChroma * weight
        let power = pow(meanChroma, 7)
        let rotation =
            -2 * sqrt(power / (power + pow(25, 7)))
            * sin(radians(60 * exp(-pow((meanHue - 275) / 25, 2))))
        let (l, c, h) = (lightness / scaleLight, saturation / scaleChroma, hue / scaleHue)
        return sqrt(l * l + c * c + h * h + rotation * c * h)
    }

    /// ΔE₀₀ of a pixel from a colour in linear light of sRGB, clipped to 0…1.
    static func of(_ pixel: RGBA, fromLight light: [Double]) -> Double {
        between([pixel.red, pixel.green, pixel.blue].map(Double.init), light.map(encoded))
    }

    /// Linear light as a channel of sRGB, 0…255.
    static func encoded(_ light: Double) -> Double {
        let light = min(1, max(0, light))
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    /// A channel of sRGB, 0…255, as linear light.
    static func light(_ value: Double) -> Double {
        let value = value / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func lab(_ color: [Double]) -> [Double] {
        let (r, g, b) = (light(color[0]), light(color[1]), light(color[2]))
        func curve(_ value: Double) -> Double {
            value > 216 / 24_389.0 ? cbrt(value) : (24_389 / 27.0 * value + 16) / 116
        }
        let x = curve((0.4123908 * r + 0.3575843 * g + 0.1804808 * b) / 0.9504559)
        let y = curve(0.2126390 * r + 0.7151687 * g + 0.0721923 * b)
        let z = curve((0.0193308 * r + 0.1191948 * g + 0.9505322 * b) / 1.0890578)
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
    }

    private static func angle(_ y: Double, _ x: Double) -> Double {
        guard x != 0 || y != 0 else { return 0 }
        let degrees = atan2(y, x) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
