/// A straight-alpha sRGB colour with channels of 0…255.
package struct RGBA: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8
    package var alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    package static let clear = RGBA(red: 0, green: 0, blue: 0, alpha: 0)
    package static let black = RGBA(red: 0, green: 0, blue: 0)
    package static let white = RGBA(red: 255, green: 255, blue: 255)

    /// The colour with its channels multiplied by its alpha, as a ``Bitmap`` stores it.
    package var premultiplied: RGBA {
        RGBA(
            red: Self.scaled(red, by: alpha),
            green: Self.scaled(green, by: alpha),
            blue: Self.scaled(blue, by: alpha),
            alpha: alpha
        )
    }

    /// `value × factor / 255`, exactly rounded to nearest.
    package static func scaled(_ value: UInt8, by factor: UInt8) -> UInt8 {
        let product = UInt32(value) * UInt32(factor) + 128
        return UInt8((product + (product >> 8)) >> 8)
    }
}
