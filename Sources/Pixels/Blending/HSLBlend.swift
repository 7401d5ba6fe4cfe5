/// The modes that take hue, saturation and luminosity apart, in floats, eight pixels at a time.
///
/// W3C, Compositing and Blending, section 10.2. As in ``IntegerBlend`` with `s`, `b` the
/// premultiplied channels and `as`, `ab` the alphas; the formulas scale, so that
/// `as · ab · B(b / ab, s / as)` is what they make of `s · ab` and `b · as` with a white of
/// `as · ab`, and nothing is divided by an alpha.
///
/// Each of them moves a base colour's luma to another and stretches its distance from it: with
/// `L` the luma wanted and `e` the base less its own luma, `L + e · k`. What `SetSat` does to the
/// base is a factor of `k`, what `ClipColor` does the largest other factor that stays in range.
enum HSLBlend {
    typealias Channel = Lanes.Channel

    /// Blends a row in place; false when the mode is none of these.
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

    // Saturations are whole numbers here; that of a grey does not count, see ``Deviation``.
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

    /// As the specification weighs it.
    @inline(__always)
    var luma: Channel { red * 0.3 + green * 0.59 + blue * 0.11 }

    @inline(__always)
    var greatest: Channel { Lanes.most(Lanes.most(red, green), blue) }

    @inline(__always)
    var smallest: Channel { Lanes.least(Lanes.least(red, green), blue) }

    @inline(__always)
    var saturation: Channel { greatest - smallest }
}

/// A colour less its own luma: exactly zero for greys.
private struct Deviation {
    let colour: Colour

    @inline(__always)
    init(_ base: Colour) {
        // From differences, which have no rounding, instead of from the luma.
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
    /// This luma with a deviation stretched by `saturation`, less where that leaves 0…`white`.
    @inline(__always)
    fileprivate func recoloured(
        _ deviation: Deviation,
        saturation: Lanes.Channel,
        white: Lanes.Channel
    ) -> Colour {
        let colour = deviation.colour
        let one = Lanes.Channel(repeating: 1)
        // Far below any deviation that is not zero.
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
