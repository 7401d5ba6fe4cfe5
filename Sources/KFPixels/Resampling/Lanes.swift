/// Eight pixels split into channels, as floats of 0…255, one pixel per lane.
struct Lanes {
    typealias Channel = SIMD8<Float>

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    // 2²³: from here on, floats have a step of 1 and hold the integer in their low bits. This
    // avoids the converting initializers of SIMD types, which are slow generic code.
    private static let magic: Float = 8_388_608

    @inline(__always)
    init(_ pixels: SIMD8<UInt32>) {
        red = Self.float(pixels & 0xFF)
        green = Self.float((pixels &>> 8) & 0xFF)
        blue = Self.float((pixels &>> 16) & 0xFF)
        alpha = Self.float(pixels &>> 24)
    }

    /// Pixels of new colours, rounded to nearest from 0…255, with the alpha of `pixels`.
    @inline(__always)
    static func packed(
        red: Channel,
        green: Channel,
        blue: Channel,
        alphaOf pixels: SIMD8<UInt32>
    ) -> SIMD8<UInt32> {
        integer(red) | (integer(green) &<< 8) | (integer(blue) &<< 16) | (pixels & 0xFF00_0000)
    }

    /// Pixels of four channels, rounded to nearest from 0…255.
    @inline(__always)
    static func packed(
        red: Channel,
        green: Channel,
        blue: Channel,
        alpha: Channel
    ) -> SIMD8<UInt32> {
        integer(red) | (integer(green) &<< 8) | (integer(blue) &<< 16) | (integer(alpha) &<< 24)
    }

    /// Grey pixels, rounded to nearest from 0…255, with the alpha of `pixels`.
    @inline(__always)
    static func packed(grey: Channel, alphaOf pixels: SIMD8<UInt32>) -> SIMD8<UInt32> {
        // Two bytes at once by a float product: the compiler would turn shifts into integer
        // products, which are slow without SSE 4.
        let rounded = (grey + magic) - magic
        let twice = unsafeBitCast(rounded * 257 + magic, to: SIMD8<UInt32>.self) & 0xFFFF
        return twice | (integer(grey) &<< 16) | (pixels & 0xFF00_0000)
    }

    @inline(__always)
    private static func float(_ value: SIMD8<UInt32>) -> Channel {
        unsafeBitCast(value | magic.bitPattern, to: Channel.self) - magic
    }

    @inline(__always)
    private static func integer(_ value: Channel) -> SIMD8<UInt32> {
        unsafeBitCast(value + magic, to: SIMD8<UInt32>.self) & 0xFF
    }

    @inline(__always)
    static func least(_ one: Channel, _ other: Channel) -> Channel {
        one.replacing(with: other, where: other .< one)
    }

    @inline(__always)
    static func most(_ one: Channel, _ other: Channel) -> Channel {
        one.replacing(with: other, where: other .> one)
    }

    /// `value` clamped to 0…`most`, lane by lane.
    @inline(__always)
    static func clamp(_ value: Channel, to most: Channel) -> Channel {
        let zero = Channel(repeating: 0)
        let positive = value.replacing(with: zero, where: value .< zero)
        return positive.replacing(with: most, where: positive .> most)
    }
}
