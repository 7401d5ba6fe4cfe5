/// The arithmetic of ``BlendMode`` on one pixel in floating point, premultiplied, 0…1.
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
        case .normal: return source + backdrop * (1 - sourceAlpha)
        case .clear: return Pixel(repeating: 0)
        case .copy: return source
        case .sourceIn: return source * backAlpha
        case .sourceOut: return source * (1 - backAlpha)
        case .sourceAtop: return source * backAlpha + backdrop * (1 - sourceAlpha)
        case .destinationOver: return source * (1 - backAlpha) + backdrop
        case .destinationIn: return backdrop * sourceAlpha
        case .destinationOut: return backdrop * (1 - sourceAlpha)
        case .destinationAtop: return source * (1 - backAlpha) + backdrop * sourceAlpha
        case .xor: return source * (1 - backAlpha) + backdrop * (1 - sourceAlpha)
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
        case .multiply: return cb * cs
        case .screen: return cb + cs - cb * cs
        case .overlay: return hardLight(cs, cb)
        case .hardLight: return hardLight(cb, cs)
        case .darken: return least(cb, cs)
        case .lighten: return most(cb, cs)
        case .difference: return most(cb - cs, cs - cb)
        case .exclusion: return cb + cs - 2 * cb * cs
        case .colorDodge: return lanes(cb, cs, dodge)
        case .colorBurn: return lanes(cb, cs, burn)
        case .softLight: return lanes(cb, cs, softLight)
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
    private static func lanes(
        _ cb: Pixel,
        _ cs: Pixel,
        _ blend: (Float, Float) -> Float
    ) -> Pixel {
        Pixel(blend(cb.x, cs.x), blend(cb.y, cs.y), blend(cb.z, cs.z), 0)
    }

    @inline(__always)
    private static func hardLight(_ cb: Pixel, _ cs: Pixel) -> Pixel {
        let twice = cs + cs
        let low = cb * twice
        let high = cb + (twice - 1) - cb * (twice - 1)
        return high.replacing(with: low, where: cs .<= Pixel(repeating: 0.5))
    }

    private static func dodge(_ cb: Float, _ cs: Float) -> Float {
        if cb == 0 { return 0 }
        return cs >= 1 ? 1 : min(1, cb / (1 - cs))
    }

    private static func burn(_ cb: Float, _ cs: Float) -> Float {
        if cb >= 1 { return 1 }
        return cs <= 0 ? 0 : 1 - min(1, (1 - cb) / cs)
    }

    private static func softLight(_ cb: Float, _ cs: Float) -> Float {
        if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
        let curve = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
        return cb + (2 * cs - 1) * (curve - cb)
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
