package import KFPixels

/// Two generated bitmaps for golden tests: one opaque, one with soft transparency.
package enum TestScene {
    /// A sky with a sun, a hill, bars of pure colours, and a skin-coloured disc at the right.
    package static func opaque(width: Int = 96, height: Int = 72) -> Bitmap {
        draw(width, height, isOpaque: true) { x, y in
            var color = mix(SIMD4(60, 110, 200, 255), SIMD4(190, 215, 245, 255), y * 1.4)
            let sun = disc(x, y, at: (0.22, 0.25), radius: 0.13, edge: 0.02)
            color = mix(color, SIMD4(255, 214, 80, 255), sun)
            let hill = 0.62 + 0.5 * (x - 0.45) * (x - 0.45)
            if y > hill { color = mix(SIMD4(40, 120, 50, 255), SIMD4(20, 50, 25, 255), y) }
            if y > 0.86 { color = bars[min(bars.count - 1, Int(x * Double(bars.count)))] }
            let face = disc(x, y, at: (0.78, 0.45), radius: 0.16, edge: 0.01)
            color = mix(color, SIMD4(226, 172, 140, 255), face)
            let eyes = max(
                disc(x, y, at: (0.74, 0.41), radius: 0.02, edge: 0.01),
                disc(x, y, at: (0.83, 0.41), radius: 0.02, edge: 0.01)
            )
            return mix(color, SIMD4(40, 20, 20, 255), eyes)
        }
    }

    /// A red disc that fades out, with a half-transparent blue square over its lower right part.
    package static func transparent(width: Int = 96, height: Int = 72) -> Bitmap {
        draw(width, height, isOpaque: false) { x, y in
            let red = SIMD4(220, 40, 30, 255) * disc(x, y, at: (0.42, 0.45), radius: 0.3, edge: 0.2)
            guard x > 0.5, x < 0.9, y > 0.5, y < 0.9 else { return red }
            return SIMD4(15, 50, 128, 128) + red * (127.0 / 255)
        }
    }

    private static let bars: [SIMD4<Double>] = [
        SIMD4(255, 255, 255, 255), SIMD4(255, 255, 0, 255), SIMD4(0, 255, 255, 255),
        SIMD4(0, 255, 0, 255), SIMD4(255, 0, 255, 255), SIMD4(255, 0, 0, 255),
        SIMD4(0, 0, 255, 255), SIMD4(0, 0, 0, 255),
    ]

    /// Calls `color` for the premultiplied colour at the centre of each pixel, both coordinates
    /// 0…1.
    private static func draw(
        _ width: Int,
        _ height: Int,
        isOpaque: Bool,
        color: (_ x: Double, _ y: Double) -> SIMD4<Double>
    ) -> Bitmap {
        let size = PixelSize(width: width, height: height)
        do {
            return try Bitmap(size: size, isOpaque: isOpaque) { pixels, bytesPerRow in
                for y in 0..<height {
                    for x in 0..<width {
                        let value = color(
                            (Double(x) + 0.5) / Double(width),
                            (Double(y) + 0.5) / Double(height)
                        )
                        let pixel = pixels + y * bytesPerRow + x * 4
                        let alpha = value.w.rounded()
                        for channel in 0..<3 {
                            pixel[channel] = UInt8(min(alpha, value[channel].rounded()))
                        }
                        pixel[3] = UInt8(alpha)
                    }
                }
            }
        } catch {
            preconditionFailure("a test image of \(size) cannot be made: \(error)")
        }
    }

    private static func mix(
        _ one: SIMD4<Double>,
        _ other: SIMD4<Double>,
        _ share: Double
    ) -> SIMD4<Double> {
        one + (other - one) * max(0, min(1, share))
    }

    /// 1 inside, 0 outside, falling over `edge`; circular in an aspect ratio of 4 : 3.
    private static func disc(
        _ x: Double,
        _ y: Double,
        at centre: (x: Double, y: Double),
        radius: Double,
        edge: Double
    ) -> Double {
        let dx = (x - centre.x) * 4 / 3
        let dy = y - centre.y
        let distance = (dx * dx + dy * dy).squareRoot()
        return max(0, min(1, (radius - distance) / edge + 0.5))
    }
}
