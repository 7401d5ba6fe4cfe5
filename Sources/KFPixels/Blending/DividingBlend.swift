/// The separable modes that divide, in floats of 0…255, eight pixels at a time.
///
/// As in ``IntegerBlend``, `s` and `b` are the premultiplied channels, `as` and `ab` the alphas.
/// The last term `as · ab · B(b / ab, s / as)` is rearranged to need one division.
enum DividingBlend {
    typealias Channel = Lanes.Channel

    /// Blends a row in place; returns false if the mode is not one of these.
    static func apply(_ mode: BlendMode, to row: BlendRow) -> Bool {
        func each(_ term: (Channel, Channel, Channel, Channel) -> Channel) -> Bool {
            row.replace { blended(Lanes($0), Lanes($1), term) }
            return true
        }
        switch mode {
        case .colorDodge: return each(dodge)
        case .colorBurn: return each(burn)
        case .softLight: return each(softLight)
        default: return false
        }
    }

    /// Source-over with `term` where both have coverage.
    @inline(__always)
    private static func blended(
        _ top: Lanes,
        _ bottom: Lanes,
        _ term: (_ s: Channel, _ b: Channel, _ sa: Channel, _ ba: Channel) -> Channel
    ) -> SIMD8<UInt32> {
        let share: Float = 1 / 255
        let topRest = 1 - top.alpha * share
        let bottomRest = 1 - bottom.alpha * share
        let alpha = top.alpha + bottom.alpha * topRest
        @inline(__always)
        func channel(_ s: Channel, _ b: Channel) -> Channel {
            let both = term(s, b, top.alpha, bottom.alpha) * share
            return Lanes.clamp(s * bottomRest + b * topRest + both, to: alpha)
        }
        return Lanes.packed(
            red: channel(top.red, bottom.red),
            green: channel(top.green, bottom.green),
            blue: channel(top.blue, bottom.blue),
            alpha: alpha
        )
    }

    /// `min(as · ab, as² · b / (as − s))`, and 0 on a black backdrop.
    @inline(__always)
    private static func dodge(_ s: Channel, _ b: Channel, _ sa: Channel, _ ba: Channel) -> Channel {
        let quotient = sa * sa * b / floored(sa - s)
        let bounded = Lanes.least(quotient, sa * ba)
        return bounded.replacing(with: 0, where: b .<= 0)
    }

    /// `as · ab − min(as · ab, as² · (ab − b) / s)`, and `as · ab` on a white backdrop.
    @inline(__always)
    private static func burn(_ s: Channel, _ b: Channel, _ sa: Channel, _ ba: Channel) -> Channel {
        let most = sa * ba
        let quotient = sa * sa * (ba - b) / floored(s)
        let result = most - Lanes.least(quotient, most)
        return result.replacing(with: most, where: b .>= ba)
    }

    /// `as · b + (2 · s − as) · D`, where D depends on whether `s` exceeds half of `as`.
    @inline(__always)
    private static func softLight(
        _ s: Channel,
        _ b: Channel,
        _ sa: Channel,
        _ ba: Channel
    ) -> Channel {
        let cb = Lanes.least(b / floored(ba), Channel(repeating: 1))
        let low = ((cb * 16 - 12) * cb + 4) * cb
        let curve = cb.squareRoot().replacing(with: low, where: cb .<= 0.25)
        let lighter = ba * curve - b
        let side = s + s - sa
        return sa * b + side * lighter.replacing(with: b - b * cb, where: side .<= 0)
    }

    // Below any difference of two bytes, so that the quotient exceeds any bound.
    @inline(__always)
    private static func floored(_ value: Channel) -> Channel {
        let least: Float = 1e-6
        return value.replacing(with: least, where: value .< least)
    }
}
