import KFPixels

/// The W3C compositing formulas on straight colours in doubles, independent of the kernels.
enum BlendReference {
    typealias Colour = (red: Double, green: Double, blue: Double)

    static func channels(_ source: RGBA, _ backdrop: RGBA, _ mode: BlendMode) -> [Double] {
        let sa = Double(source.alpha) / 255
        let ba = Double(backdrop.alpha) / 255
        let cs = straight(source)
        let cb = straight(backdrop)
        if let (fa, fb) = porterDuff(mode, sa, ba) {
            func one(_ s: Double, _ b: Double) -> Double { (s * sa * fa + b * ba * fb) * 255 }
            let alpha = (sa * fa + ba * fb) * 255
            return [one(cs.red, cb.red), one(cs.green, cb.green), one(cs.blue, cb.blue), alpha]
        }
        if mode == .plusLighter || mode == .plusDarker {
            return plus(cs, sa, cb, ba, lighter: mode == .plusLighter)
        }
        let mixed = blend(cb, cs, mode)
        func one(_ s: Double, _ b: Double, _ m: Double) -> Double {
            // co = cs·αs·(1−αb) + cb·αb·(1−αs) + αs·αb·B
            (s * sa * (1 - ba) + b * ba * (1 - sa) + sa * ba * m) * 255
        }
        return [
            one(cs.red, cb.red, mixed.red), one(cs.green, cb.green, mixed.green),
            one(cs.blue, cb.blue, mixed.blue), (sa + ba - sa * ba) * 255,
        ]
    }

    /// Converts premultiplied bytes to a straight colour.
    private static func straight(_ pixel: RGBA) -> Colour {
        guard pixel.alpha > 0 else { return (0, 0, 0) }
        let alpha = Double(pixel.alpha)
        return (Double(pixel.red) / alpha, Double(pixel.green) / alpha, Double(pixel.blue) / alpha)
    }

    private static func porterDuff(
        _ mode: BlendMode,
        _ sa: Double,
        _ ba: Double
    ) -> (Double, Double)? {
        switch mode {
        case .clear: (0, 0)
        case .copy: (1, 0)
        case .normal: (1, 1 - sa)
        case .sourceIn: (ba, 0)
        case .sourceOut: (1 - ba, 0)
        case .sourceAtop: (ba, 1 - sa)
        case .destinationOver: (1 - ba, 1)
        case .destinationIn: (0, sa)
        case .destinationOut: (0, 1 - sa)
        case .destinationAtop: (1 - ba, sa)
        case .xor: (1 - ba, 1 - sa)
        default: nil
        }
    }

    private static func plus(
        _ cs: Colour,
        _ sa: Double,
        _ cb: Colour,
        _ ba: Double,
        lighter: Bool
    ) -> [Double] {
        let alpha = min(1, sa + ba)
        func one(_ s: Double, _ b: Double) -> Double {
            lighter
                ? min(1, s * sa + b * ba) * 255
                : max(0, alpha - (sa - s * sa) - (ba - b * ba)) * 255
        }
        return [one(cs.red, cb.red), one(cs.green, cb.green), one(cs.blue, cb.blue), alpha * 255]
    }

    private static func blend(_ cb: Colour, _ cs: Colour, _ mode: BlendMode) -> Colour {
        switch mode {
        case .hue: return setLum(setSat(cs, sat(cb)), lum(cb))
        case .saturation: return setLum(setSat(cb, sat(cs)), lum(cb))
        case .color: return setLum(cs, lum(cb))
        case .luminosity: return setLum(cb, lum(cs))
        default:
            return (
                separable(cb.red, cs.red, mode), separable(cb.green, cs.green, mode),
                separable(cb.blue, cs.blue, mode)
            )
        }
    }

    private static func separable(_ cb: Double, _ cs: Double, _ mode: BlendMode) -> Double {
        switch mode {
        case .multiply: return cb * cs
        case .screen: return 1 - (1 - cb) * (1 - cs)
        case .overlay: return separable(cs, cb, .hardLight)
        case .darken: return min(cb, cs)
        case .lighten: return max(cb, cs)
        case .colorDodge: return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
        case .colorBurn: return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
        case .hardLight:
            return cs <= 0.5 ? cb * 2 * cs : separable(cb, 2 * cs - 1, .screen)
        case .softLight:
            if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
            let curve = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
            return cb + (2 * cs - 1) * (curve - cb)
        case .difference: return abs(cb - cs)
        case .exclusion: return cb + cs - 2 * cb * cs
        default: return .nan
        }
    }

    private static func lum(_ c: Colour) -> Double { 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue }

    private static func sat(_ c: Colour) -> Double {
        max(c.red, c.green, c.blue) - min(c.red, c.green, c.blue)
    }

    private static func setLum(_ c: Colour, _ target: Double) -> Colour {
        let d = target - lum(c)
        var moved = [c.red + d, c.green + d, c.blue + d]
        let l = lum((moved[0], moved[1], moved[2]))
        let low = moved.min() ?? 0
        let high = moved.max() ?? 0
        if low < 0 { moved = moved.map { l + ($0 - l) * l / (l - low) } }
        if high > 1 { moved = moved.map { l + ($0 - l) * (1 - l) / (high - l) } }
        return (moved[0], moved[1], moved[2])
    }

    private static func setSat(_ c: Colour, _ s: Double) -> Colour {
        let low = min(c.red, c.green, c.blue)
        let high = max(c.red, c.green, c.blue)
        func one(_ v: Double) -> Double { high > low ? (v - low) * s / (high - low) : 0 }
        return (one(c.red), one(c.green), one(c.blue))
    }
}
