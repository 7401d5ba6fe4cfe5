import KFPixels

/// Numbers for groups of similar premultiplied colours.
///
/// With six bits of red, green and blue, or with five of each and three of alpha. Opaque colours have
/// bins of their own.
struct ColorBins {
    /// Whether there are pixels that are partly transparent.
    let hasPartialAlpha: Bool

    var count: Int { 1 << 18 }

    private var bits: Int { hasPartialAlpha ? 5 : 6 }

    func number(of color: RGBA) -> Int {
        let unused = UInt8(8 - bits)
        let red = Int(color.red >> unused) << (2 * bits)
        let green = Int(color.green >> unused) << bits
        let rgb = red | green | Int(color.blue >> unused)
        guard hasPartialAlpha else { return rgb }
        // 0…6 are 37 alphas each.
        let level = color.alpha == 255 ? 7 : Int(color.alpha) / 37
        return level << 15 | rgb
    }

    func isOpaque(_ number: Int) -> Bool { !hasPartialAlpha || number >> 15 == 7 }

    /// The colour in the middle of a bin.
    func centre(of number: Int) -> RGBA {
        let unused = 8 - bits
        func channel(_ position: Int) -> UInt8 {
            let value = number >> (position * bits) & (1 << bits - 1)
            return UInt8(value << unused + 1 << (unused - 1))
        }
        return RGBA(
            red: channel(2),
            green: channel(1),
            blue: channel(0),
            alpha: isOpaque(number) ? 255 : UInt8((number >> 15) * 37 + 18)
        )
    }
}

extension SIMD4<Int32> {
    init(color: RGBA) {
        self.init(Int32(color.red), Int32(color.green), Int32(color.blue), Int32(color.alpha))
    }
}

extension RGBA {
    init(_ channels: SIMD4<Int32>) {
        self.init(
            red: UInt8(truncatingIfNeeded: channels.x),
            green: UInt8(truncatingIfNeeded: channels.y),
            blue: UInt8(truncatingIfNeeded: channels.z),
            alpha: UInt8(truncatingIfNeeded: channels.w)
        )
    }
}
