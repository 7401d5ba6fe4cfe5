private import CKFKernels

/// Applies a colour matrix.
///
/// Colours are clipped; alpha is kept.
///
/// The matrix is defined for straight colours, but can be applied to premultiplied ones: a linear
/// map commutes with the multiplication by alpha if the constant is multiplied by alpha too.
///
/// - Parameters:
///   - source: Any size.
///   - matrix: NaN counts as 0; factors are clamped to ±1,000,000.
///   - backend: The fastest by default. The results differ by at most one.
/// - Returns: A new bitmap, or `source` itself for the identity.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func applyColorMatrix(
    _ source: Bitmap,
    _ matrix: ColorMatrix,
    backend: Convolution.Backend = Convolution.backend
) throws(PixelError) -> Bitmap {
    if matrix == .identity { return source }
    let rows = FloatColorMatrix(matrix)
    return try mapRows(source, isOpaque: source.isOpaque, isLight: true) { from, to, _ in
        switch backend {
        case .twin: rows.twinRow(from, to, width: source.width)
        case .portable: rows.row(from, to, width: source.width)
        }
    }
}

/// Changes brightness, contrast, saturation and exposure in one pass.
///
/// - Parameters:
///   - source: Any size.
///   - brightness: Added; 0 changes nothing, 1 turns black into white.
///   - contrast: A factor about middle grey; 1 changes nothing.
///   - saturation: 0 is grey, 1 changes nothing.
///   - exposure: In stops; 1 doubles the light.
/// - Returns: A new bitmap, or `source` itself if nothing changes.
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

/// A colour matrix in single precision, without NaN and infinity.
private struct FloatColorMatrix {
    /// Four factors each for red, green and blue.
    private let factors: [Float]
    private let isGrey: Bool

    init(_ matrix: ColorMatrix) {
        factors = [matrix.red, matrix.green, matrix.blue].flatMap { row in
            row.indices.map { index in
                // Large enough to make any colour black or white, small enough not to overflow.
                row[index].isNaN ? 0 : Float(max(-1e6, min(1e6, row[index])))
            }
        }
        isGrey = matrix.red == matrix.green && matrix.red == matrix.blue
    }

    func twinRow(_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, width: Int) {
        #if arch(x86_64) || arch(arm64)
        factors.withUnsafeBufferPointer { factors in
            kf_matrix_row(from, to, Int32(width), factors.baseAddress, isGrey ? 1 : 0)
        }
        #endif
    }

    func row(_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, width: Int) {
        let red = Row(factors[0..<4])
        if isGrey {
            mapPixels(from, to, width: width) { pixels in
                Lanes.packed(grey: red.applied(to: Lanes(pixels)), alphaOf: pixels)
            }
            return
        }
        let green = Row(factors[4..<8])
        let blue = Row(factors[8..<12])
        mapPixels(from, to, width: width) { pixels in
            let lanes = Lanes(pixels)
            return Lanes.packed(
                red: red.applied(to: lanes),
                green: green.applied(to: lanes),
                blue: blue.applied(to: lanes),
                alphaOf: pixels
            )
        }
    }
}

/// The factors of one channel of the result.
private struct Row {
    private let factors: SIMD4<Float>

    init(_ factors: ArraySlice<Float>) {
        self.factors = SIMD4(factors)
    }

    @inline(__always)
    func applied(to lanes: Lanes) -> Lanes.Channel {
        let sum =
            lanes.red * factors.x + lanes.green * factors.y + lanes.blue * factors.z
            + lanes.alpha * factors.w
        return Lanes.clamp(sum, to: lanes.alpha)
    }
}
