/// The modes that separate hue, saturation and luminosity, in floats, eight pixels at a time.
///
/// Source: W3C, Compositing and Blending, section 10.2. As in ``IntegerBlend``, `s` and `b` are the
/// premultiplied channels, `as` and `ab` the alphas. The formulas scale, so that
/// `as · ab · B(b / ab, s / as)` equals their result for `s · ab` and `b · as` with a white of
/// `as · ab`, and nothing is divided by an alpha.
///
/// Each mode moves a base colour to another luma and stretches its distance from it: with `L` the
/// new luma and `e` the base minus its own luma, the result is `L + e · k`. `SetSat` contributes a
/// factor to `k`; `ClipColor` limits `k` to the largest value that stays in range.
enum HSLBlend {
    typealias Channel = Lanes.Channel

    /// Blends a row in place; returns false if the mode is not one of these.
    static func apply(_ mode: BlendMode, to row: BlendRow) -> Bool {
        func each(_ term: (Colour, Colour, Channel) -> Colour) -> Bool {
            row.replace { blended(Lanes($0), Lanes($1), term) }
            return true
        }
        let unit = Channel(repeating: 1)
        switch mode {
        case .hue:
            return each { source, below, white in
                below.luma.recoloured(
                    Deviation(source),
                    saturation: below.saturation / floored(source.saturation),
                    white: white
                )
            }
        case .saturation:
            return each { source, below, white in
                below.luma.recoloured(
                    Deviation(below),
                    saturation: source.saturation / floored(below.saturation),
                    white: white
                )
            }
        case .color:
            return each { $1.luma.recoloured(Deviation($0), saturation: unit, white: $2) }
        case .luminosity:
            return each { $0.luma.recoloured(Deviation($1), saturation: unit, white: $2) }
        default: return false
        }
    }

    /// Source-over with `term` where both have coverage.
    @inline(__always)
    private static func blended(
        _ top: Lanes,
        _ bottom: Lanes,
        _ term: (_ source: Colour, _ below: Colour, _ white: Channel) -> Colour
    ) -> SIMD8<UInt32> {
        let share: Float = 1 / 255
        let topRest = 255 - top.alpha
        let bottomRest = 255 - bottom.alpha
        let both = term(
            Colour(top, times: bottom.alpha),
            Colour(bottom, times: top.alpha),
            top.alpha * bottom.alpha
        )
        let alpha = top.alpha + bottom.alpha * topRest * share
        @inline(__always)
        func channel(_ s: Channel, _ b: Channel, _ both: Channel) -> Channel {
            Lanes.clamp((s * bottomRest + b * topRest + both) * share, to: alpha)
        }
        return Lanes.packed(
            red: channel(top.red, bottom.red, both.red),
            green: channel(top.green, bottom.green, both.green),
            blue: channel(top.blue, bottom.blue, both.blue),
            alpha: alpha
        )
    }

    // Saturations are whole numbers here. That of a grey is irrelevant, see ``Deviation``.
    @inline(__always)
    private static func floored(_ saturation: Channel) -> Channel {
        Lanes.most(saturation, Channel(repeating: 1))
    }
}

/// Three channels of eight pixels.
private struct Colour {
    typealias Channel = Lanes.Channel

    let red: Channel
    let green: Channel
    let blue: Channel

    @inline(__always)
    init(red: Channel, green: Channel, blue: Channel) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    @inline(__always)
    init(_ lanes: Lanes, times alpha: Channel) {
        red = lanes.red * alpha
        green = lanes.green * alpha
        blue = lanes.blue * alpha
    }

    /// With the weights of the specification.
    @inline(__always)
    var luma: Channel { red * 0.3 + green * 0.59 + blue * 0.11 }

    @inline(__always)
    var greatest: Channel { Lanes.most(Lanes.most(red, green), blue) }

    @inline(__always)
    var smallest: Channel { Lanes.least(Lanes.least(red, green), blue) }

    @inline(__always)
    var saturation: Channel { greatest - smallest }
}

/// A colour minus its own luma: exactly zero for greys.
private struct Deviation {
    let colour: Colour

    @inline(__always)
    init(_ base: Colour) {
        // Computed from differences, which have no rounding error, instead of from the luma.
        let first = base.red - base.green
        let second = base.green - base.blue
        colour = Colour(
            red: first * 0.7 + second * 0.11,
            green: second * 0.11 - first * 0.3,
            blue: first * -0.3 - second * 0.89
        )
    }
}

extension Lanes.Channel {
    /// This luma plus the deviation times `saturation`, reduced if the result would leave
    /// 0…`white`.
    @inline(__always)
    fileprivate func recoloured(
        _ deviation: Deviation,
        saturation: Lanes.Channel,
        white: Lanes.Channel
    ) -> Colour {
        let colour = deviation.colour
        let one = Lanes.Channel(repeating: 1)
        // Far below any deviation other than zero.
        let tiny = Lanes.Channel(repeating: 1e-3)
        let below = Lanes.most(-(colour.smallest * saturation), tiny)
        let above = Lanes.most(colour.greatest * saturation, tiny)
        let room = Lanes.most(white - self, Lanes.Channel(repeating: 0))
        let stretch =
            saturation * Lanes.least(self / below, one) * Lanes.least(room / above, one)
        return Colour(
            red: self + colour.red * stretch,
            green: self + colour.green * stretch,
            blue: self + colour.blue * stretch
        )
    }
}
