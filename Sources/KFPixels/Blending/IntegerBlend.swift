/// The modes that need no division, on premultiplied bytes, eight pixels at a time.
///
/// The Porter-Duff operators weigh both bitmaps with factors of their alphas. For the blend modes,
/// with `s`, `b` the premultiplied channels and `as`, `ab` the alphas, the result is
/// `s · (1 − ab) + b · (1 − as) + as · ab · B(b / ab, s / as)`; for the modes here, the last term
/// needs no straight colours. The sum is at most 255², which fits 16 bits, and intermediate
/// overflow wraps around and cancels out. Exact up to one rounding at the end.
enum IntegerBlend {
    typealias Lanes = PixelPairs.Lanes

    /// Blends a row in place; returns false if the mode is not one of these.
    static func apply(_ mode: BlendMode, to row: BlendRow) -> Bool {
        func each(_ term: (Terms) -> PixelPairs) -> Bool {
            row.replace { top, bottom in
                Terms(top, bottom).blended(term)
            }
            return true
        }
        switch mode {
        case .multiply: return each { $0.product }
        case .screen: return each { $0.screen }
        case .darken: return each { $0.lesser }
        case .lighten: return each { $0.greater }
        case .difference: return each { $0.difference }
        case .exclusion: return each { $0.exclusion }
        case .hardLight: return each { $0.hardLight }
        case .overlay: return each { $0.overlay }
        default: return weigh(row, by: mode)
        }
    }

    /// The Porter-Duff operators.
    private static func weigh(_ row: BlendRow, by mode: BlendMode) -> Bool {
        let full = Lanes(repeating: 255)
        let none = Lanes(repeating: 0)
        func each(_ factors: (_ top: Lanes, _ bottom: Lanes) -> (Lanes, Lanes)) -> Bool {
            row.replace { top, bottom in
                let alphas = (PixelPairs.alphas(of: top), PixelPairs.alphas(of: bottom))
                let (ofTop, ofBottom) = factors(alphas.0, alphas.1)
                return (PixelPairs(top) * ofTop + PixelPairs(bottom) * ofBottom).dividedBy255
            }
            return true
        }
        switch mode {
        case .clear: return each { _, _ in (none, none) }
        case .copy: return each { _, _ in (full, none) }
        case .sourceIn: return each { ($1, none) }
        case .sourceOut: return each { (full &- $1, none) }
        case .sourceAtop: return each { ($1, full &- $0) }
        case .destinationOver: return each { (full &- $1, full) }
        case .destinationIn: return each { top, _ in (none, top) }
        case .destinationOut: return each { top, _ in (none, full &- top) }
        case .destinationAtop: return each { (full &- $1, $0) }
        case .xor: return each { (full &- $1, full &- $0) }
        default: return sum(row, by: mode)
        }
    }

    /// The two sums that are clipped: at white or at black.
    private static func sum(_ row: BlendRow, by mode: BlendMode) -> Bool {
        switch mode {
        case .plusLighter:
            let full = Lanes(repeating: 255)
            row.replace { top, bottom in
                let sum = PixelPairs(top) + PixelPairs(bottom)
                return PixelPairs(even: least(sum.even, full), odd: least(sum.odd, full)).packed
            }
        case .plusDarker:
            // The excess of the summed alphas over one is subtracted from each summed channel.
            let full = Lanes(repeating: 255)
            row.replace { top, bottom in
                let sum = PixelPairs(top) + PixelPairs(bottom)
                let alpha = PixelPairs.alphas(of: top) &+ PixelPairs.alphas(of: bottom)
                let excess = alpha &- least(alpha, full)
                let even = sum.even &- least(sum.even, excess)
                return PixelPairs(even: even, odd: sum.odd &- least(sum.odd, excess)).packed
            }
        default: return false
        }
        return true
    }

    @inline(__always)
    static func least(_ one: Lanes, _ other: Lanes) -> Lanes {
        one.replacing(with: other, where: other .< one)
    }
}

/// The terms of the formulas, in units of 1/255².
private struct Terms {
    typealias Lanes = PixelPairs.Lanes

    let top: PixelPairs
    let bottom: PixelPairs
    let topAlpha: Lanes
    let bottomAlpha: Lanes
    // as · b + ab · s
    let crossed: PixelPairs
    // s · b
    let product: PixelPairs

    @inline(__always)
    init(_ top: SIMD8<UInt32>, _ bottom: SIMD8<UInt32>) {
        self.top = PixelPairs(top)
        self.bottom = PixelPairs(bottom)
        topAlpha = PixelPairs.alphas(of: top)
        bottomAlpha = PixelPairs.alphas(of: bottom)
        crossed = self.top * bottomAlpha + self.bottom * topAlpha
        product = self.top * self.bottom
    }

    /// The blended pixels, given the last term.
    @inline(__always)
    func blended(_ term: (Terms) -> PixelPairs) -> SIMD8<UInt32> {
        let full = Lanes(repeating: 255)
        let above: PixelPairs = top * (full &- bottomAlpha)
        let below: PixelPairs = bottom * (full &- topAlpha)
        return (above + below + term(self)).dividedBy255
    }

    @inline(__always)
    var screen: PixelPairs { crossed - product }

    @inline(__always)
    var lesser: PixelPairs {
        let (one, other) = (top * bottomAlpha, bottom * topAlpha)
        return PixelPairs(
            even: IntegerBlend.least(one.even, other.even),
            odd: IntegerBlend.least(one.odd, other.odd)
        )
    }

    @inline(__always)
    var greater: PixelPairs { crossed - lesser }

    // |as · b − ab · s|
    @inline(__always)
    var difference: PixelPairs {
        let lesser = lesser
        return withAlpha(crossed - lesser - lesser)
    }

    // as · b + ab · s − 2 · s · b
    @inline(__always)
    var exclusion: PixelPairs { withAlpha(crossed - product - product) }

    /// `2 · s · b` where the source is at most half its alpha, the inverse elsewhere.
    @inline(__always)
    var hardLight: PixelPairs { lit(by: top, of: topAlpha) }

    /// The same, selected by the backdrop.
    @inline(__always)
    var overlay: PixelPairs { lit(by: bottom, of: bottomAlpha) }

    @inline(__always)
    private func lit(by light: PixelPairs, of alpha: Lanes) -> PixelPairs {
        let both = topAlpha &* bottomAlpha
        let low = product + product
        let inverse = PixelPairs(
            even: (topAlpha &- top.even) &* (bottomAlpha &- bottom.even),
            odd: (topAlpha &- top.odd) &* (bottomAlpha &- bottom.odd)
        )
        let whole = PixelPairs(even: both, odd: both)
        let high = whole - inverse - inverse
        return PixelPairs(
            even: high.even.replacing(with: low.even, where: light.even &+ light.even .<= alpha),
            odd: high.odd.replacing(with: low.odd, where: light.odd &+ light.odd .<= alpha)
        )
    }

    /// The colours of `pairs`, with an alpha of `as · ab`.
    @inline(__always)
    private func withAlpha(_ pairs: PixelPairs) -> PixelPairs {
        // Alpha is the upper half of each pixel's odd lanes.
        let isAlpha = unsafeBitCast(SIMD8<UInt32>(repeating: 0xFFFF_0000), to: Lanes.self)
        let both = topAlpha &* bottomAlpha
        return PixelPairs(even: pairs.even, odd: (pairs.odd & ~isAlpha) | (both & isAlpha))
    }
}
