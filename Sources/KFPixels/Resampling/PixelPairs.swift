/// Eight pixels as two vectors of 16-bit lanes: red and blue, green and alpha.
///
/// A product of two bytes fits 16 bits, and 16-bit products are cheap on every processor.
struct PixelPairs {
    typealias Lanes = SIMD16<UInt16>

    /// Red and blue, alternating.
    var even: Lanes
    /// Green and alpha, alternating.
    var odd: Lanes

    @inline(__always)
    init(_ pixels: SIMD8<UInt32>) {
        even = unsafeBitCast(pixels & 0x00FF_00FF, to: Lanes.self)
        odd = unsafeBitCast((pixels &>> 8) & 0x00FF_00FF, to: Lanes.self)
    }

    @inline(__always)
    init(even: Lanes, odd: Lanes) {
        self.even = even
        self.odd = odd
    }

    /// The same colour in all lanes.
    @inline(__always)
    init(repeating color: RGBA) {
        let red = UInt32(color.red) | UInt32(color.blue) << 16
        let green = UInt32(color.green) | UInt32(color.alpha) << 16
        even = unsafeBitCast(SIMD8<UInt32>(repeating: red), to: Lanes.self)
        odd = unsafeBitCast(SIMD8<UInt32>(repeating: green), to: Lanes.self)
    }

    /// Each pixel's alpha in all of its lanes.
    @inline(__always)
    static func alphas(of pixels: SIMD8<UInt32>) -> Lanes {
        let alpha = pixels &>> 24
        return unsafeBitCast(alpha | (alpha &<< 16), to: Lanes.self)
    }

    /// Lane by lane products with bytes.
    @inline(__always)
    static func * (pairs: PixelPairs, factor: Lanes) -> PixelPairs {
        PixelPairs(even: pairs.even &* factor, odd: pairs.odd &* factor)
    }

    /// Lane by lane products of bytes.
    @inline(__always)
    static func * (one: PixelPairs, other: PixelPairs) -> PixelPairs {
        PixelPairs(even: one.even &* other.even, odd: one.odd &* other.odd)
    }

    @inline(__always)
    static func + (one: PixelPairs, other: PixelPairs) -> PixelPairs {
        PixelPairs(even: one.even &+ other.even, odd: one.odd &+ other.odd)
    }

    @inline(__always)
    static func - (one: PixelPairs, other: PixelPairs) -> PixelPairs {
        PixelPairs(even: one.even &- other.even, odd: one.odd &- other.odd)
    }

    /// Pixels from lanes of up to 255 × 255, divided by 255 and rounded to nearest.
    @inline(__always)
    var dividedBy255: SIMD8<UInt32> {
        let low = even &+ 128
        let high = odd &+ 128
        let first = (low &+ (low &>> 8)) &>> 8
        let second = (high &+ (high &>> 8)) & 0xFF00
        return unsafeBitCast(first, to: SIMD8<UInt32>.self)
            | unsafeBitCast(second, to: SIMD8<UInt32>.self)
    }

    /// Pixels from lanes of up to 255.
    @inline(__always)
    var packed: SIMD8<UInt32> {
        unsafeBitCast(even, to: SIMD8<UInt32>.self)
            | unsafeBitCast(odd &<< 8, to: SIMD8<UInt32>.self)
    }
}
