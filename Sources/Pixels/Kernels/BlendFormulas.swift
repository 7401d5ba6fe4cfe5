/// The modes that neither ``IntegerBlend`` nor ``DividingBlend`` has, on one pixel in floats, premultiplied, 0…1.
///
/// Lanes are red, green, blue, alpha.
enum BlendFormulas {
    typealias Pixel = SIMD4<Float>

    /// `source` composited onto `backdrop`.
    @inline(__always)
    static func composite(_ source: Pixel, _ backdrop: Pixel, _ mode: BlendMode) -> Pixel {
        let sourceAlpha = source.w
        let backAlpha = backdrop.w
        switch mode {
        case .plusLighter: return least(source + backdrop, Pixel(repeating: 1))
        case .plusDarker:
            // What both lack of their own alpha is taken from the sum of the alphas.
            let alpha = min(1, sourceAlpha + backAlpha)
            let missing = (Pixel(repeating: backAlpha) - backdrop) + (sourceAlpha - source)
            var result = most(alpha - missing, Pixel(repeating: 0))
            result.w = alpha
            return result
        default: return blended(source, backdrop, mode)
        }
    }

    /// Source-over with `B(backdrop, source)` where both have coverage.
    @inline(__always)
    private static func blended(_ source: Pixel, _ backdrop: Pixel, _ mode: BlendMode) -> Pixel {
        let both = source.w * backdrop.w
        var result = source * (1 - backdrop.w) + backdrop * (1 - source.w)
        if both > 0 {
            let one = Pixel(repeating: 1)
            // Rounded bytes may exceed their alpha by a hair after scaling.
            let colour = least(source / source.w, one)
            let below = least(backdrop / backdrop.w, one)
            result += mixed(below, colour, mode) * both
        }
        result.w = source.w + backdrop.w - both
        return result
    }

    /// `B(cb, cs)` on straight colours; the fourth lane has no meaning.
    @inline(__always)
    private static func mixed(_ cb: Pixel, _ cs: Pixel, _ mode: BlendMode) -> Pixel {
        switch mode {
        case .hue:
            return BlendHSL.setLuminosity(
                BlendHSL.setSaturation(cs, BlendHSL.saturation(cb)),
                BlendHSL.luminosity(cb)
            )
        case .saturation:
            return BlendHSL.setLuminosity(
                BlendHSL.setSaturation(cb, BlendHSL.saturation(cs)),
                BlendHSL.luminosity(cb)
            )
        case .color: return BlendHSL.setLuminosity(cs, BlendHSL.luminosity(cb))
        case .luminosity: return BlendHSL.setLuminosity(cb, BlendHSL.luminosity(cs))
        default: return cs
        }
    }

    @inline(__always)
    private static func least(_ one: Pixel, _ other: Pixel) -> Pixel {
        one.replacing(with: other, where: other .< one)
    }

    @inline(__always)
    private static func most(_ one: Pixel, _ other: Pixel) -> Pixel {
        one.replacing(with: other, where: other .> one)
    }
}
