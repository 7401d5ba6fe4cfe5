/// The helpers of the non-separable blend modes: W3C, Compositing and Blending, section 10.2.
enum BlendHSL {
    typealias Pixel = SIMD4<Float>

    /// The luma as the specification weighs it.
    static func luminosity(_ colour: Pixel) -> Float {
        0.3 * colour.x + 0.59 * colour.y + 0.11 * colour.z
    }

    /// The spread between the largest and the smallest channel.
    static func saturation(_ colour: Pixel) -> Float {
        max(colour.x, colour.y, colour.z) - min(colour.x, colour.y, colour.z)
    }

    /// The colour with its luma moved to `luminosity`, and clipped towards it.
    static func setLuminosity(_ colour: Pixel, _ luminosity: Float) -> Pixel {
        clipped(colour + (luminosity - self.luminosity(colour)))
    }

    /// The colour with its channels spread over exactly `saturation`, the smallest at zero.
    static func setSaturation(_ colour: Pixel, _ saturation: Float) -> Pixel {
        let low = min(colour.x, colour.y, colour.z)
        let spread = self.saturation(colour)
        return spread > 0 ? (colour - low) * (saturation / spread) : Pixel(repeating: 0)
    }

    private static func clipped(_ colour: Pixel) -> Pixel {
        let luma = luminosity(colour)
        let low = min(colour.x, colour.y, colour.z)
        let high = max(colour.x, colour.y, colour.z)
        var result = colour
        if low < 0 { result = luma + (result - luma) * (luma / (luma - low)) }
        if high > 1 { result = luma + (result - luma) * ((1 - luma) / (high - luma)) }
        return result
    }
}
