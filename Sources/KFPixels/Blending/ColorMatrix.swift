#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A linear change of straight colours: one row each for red, green and blue, with the factors of
/// red, green and blue and a constant.
///
/// Alpha is kept. Constants are in units of full intensity (1 is white).
package struct ColorMatrix: Hashable, Sendable {
    package var red: SIMD4<Double>
    package var green: SIMD4<Double>
    package var blue: SIMD4<Double>

    package init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    package static let identity = ColorMatrix(
        red: SIMD4(1, 0, 0, 0),
        green: SIMD4(0, 1, 0, 0),
        blue: SIMD4(0, 0, 1, 0)
    )

    /// The matrix for the four usual controls.
    ///
    /// Saturation about the luma of BT.709, then contrast about one half, then brightness added,
    /// then exposure in stops; nothing is clipped between the steps. Exposure doubles the light,
    /// not the encoded value: for a transfer curve with an exponent of 2.2, that is a factor of
    /// 2^(1/2.2) on the encoded value, and a linear map. sRGB's own curve, which is straight near
    /// black, gives the same within 3 of 255 for a stop, and within 6 in the darkest quarter.
    ///
    /// - Parameters:
    ///   - brightness: Added; 0 changes nothing, 1 turns black into white.
    ///   - contrast: A factor about middle grey; 1 changes nothing.
    ///   - saturation: 0 is grey, 1 changes nothing.
    ///   - exposure: In stops; 1 doubles the light.
    /// - Returns: One matrix for all four.
    package static func controls(
        brightness: Double = 0,
        contrast: Double = 1,
        saturation: Double = 1,
        exposure: Double = 0
    ) -> ColorMatrix {
        let luma = SIMD4(0.2126, 0.7152, 0.0722, 0) * (1 - saturation)
        let gain = exp2(exposure / 2.2)
        let constant = SIMD4(0, 0, 0, (0.5 - 0.5 * contrast + brightness) * gain)
        func row(_ own: SIMD4<Double>) -> SIMD4<Double> {
            (luma + own * saturation) * (contrast * gain) + constant
        }
        return ColorMatrix(
            red: row(SIMD4(1, 0, 0, 0)),
            green: row(SIMD4(0, 1, 0, 0)),
            blue: row(SIMD4(0, 0, 1, 0))
        )
    }
}
