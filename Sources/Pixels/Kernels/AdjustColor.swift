/// Applies a colour matrix; colours are clipped, alpha stays.
///
/// The matrix is meant for straight colours, yet applied to premultiplied ones: a linear map and
/// the multiplication by alpha change places when the constant is multiplied by alpha too.
///
/// - Parameters:
///   - source: Any size.
///   - matrix: NaN counts as 0; factors are held to ±1,000,000.
/// - Returns: A new picture, or `source` itself for the identity.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func applyColorMatrix(
    _ source: Bitmap,
    _ matrix: ColorMatrix
) throws(PixelError) -> Bitmap {
    if matrix == .identity { return source }
    let rows = FloatColorMatrix(matrix)
    if matrix.red == matrix.green, matrix.red == matrix.blue {
        return try mapRows(source, isOpaque: source.isOpaque) { from, to, _ in
            mapPixels(from, to, width: source.width) { pixels in
                let lanes = Lanes(pixels)
                let grey = rows.red.applied(to: lanes)
                return Lanes.packed(grey: grey, alphaOf: pixels)
            }
        }
    }
    return try mapRows(source, isOpaque: source.isOpaque) { from, to, _ in
        mapPixels(from, to, width: source.width) { pixels in
            let lanes = Lanes(pixels)
            return Lanes.packed(
                red: rows.red.applied(to: lanes),
                green: rows.green.applied(to: lanes),
                blue: rows.blue.applied(to: lanes),
                alphaOf: pixels
            )
        }
    }
}

/// Changes brightness, contrast, saturation and exposure in this one pass.
///
/// - Parameters:
///   - source: Any size.
///   - brightness: Added; 0 changes nothing, 1 makes black white.
///   - contrast: Factor about the middle grey; 1 changes nothing.
///   - saturation: 0 is grey, 1 changes nothing.
///   - exposure: In stops; 1 doubles the light.
/// - Returns: A new picture, or `source` itself when nothing changes.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func adjustColor(
    _ source: Bitmap,
    brightness: Double,
    contrast: Double,
    saturation: Double,
    exposure: Double
) throws(PixelError) -> Bitmap {
    let matrix = ColorMatrix.controls(
        brightness: brightness,
        contrast: contrast,
        saturation: saturation,
        exposure: exposure
    )
    return try applyColorMatrix(source, matrix)
}

/// A colour matrix in single precision, without values that are no numbers.
private struct FloatColorMatrix {
    let red: Row
    let green: Row
    let blue: Row

    struct Row {
        private let factors: SIMD4<Float>

        init(_ exact: SIMD4<Double>) {
            func bounded(_ value: Double) -> Float {
                // Far beyond what makes any colour black or white, far below what overflows.
                value.isNaN ? 0 : Float(max(-1e6, min(1e6, value)))
            }
            factors = SIMD4(
                bounded(exact[0]),
                bounded(exact[1]),
                bounded(exact[2]),
                bounded(exact[3])
            )
        }

        @inline(__always)
        func applied(to lanes: Lanes) -> Lanes.Channel {
            let sum =
                lanes.red * factors.x + lanes.green * factors.y + lanes.blue * factors.z
                + lanes.alpha * factors.w
            return Lanes.clamp(sum, to: lanes.alpha)
        }
    }

    init(_ matrix: ColorMatrix) {
        red = Row(matrix.red)
        green = Row(matrix.green)
        blue = Row(matrix.blue)
    }
}
