private import CKFKernels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The implementation of a separable filter's two passes.
///
/// Between the passes, values are signed 9.6 fixed point in 16 bits: overshoot is kept until the
/// end, and the additional rounding is invisible. All implementations do the same integer
/// arithmetic.
package enum Convolution {
    /// Also selects the implementation of other kernels with a twin in C.
    package enum Backend: CaseIterable, Sendable {
        /// In Swift, such as ``PortableConvolution``.
        case portable
        /// The twins in C, for AVX2 and NEON.
        case twin
    }

    /// The fastest backend for this processor.
    ///
    /// If `KF_PORTABLE_KERNELS` is set in the environment, the Swift kernels, for measurements and
    /// tests.
    package static let backend: Backend =
        kf_has_twins() != 0 && getenv("KF_PORTABLE_KERNELS") == nil ? .twin : .portable

    /// Filters one row horizontally.
    ///
    /// `spread` has room for four values for each of ``ResampleWeights/readableLength`` pixels, and
    /// zeros beyond the row.
    static func twinRow(
        _ source: UnsafePointer<UInt8>,
        _ table: ResampleWeights,
        spread: UnsafeMutablePointer<Int16>,
        into out: UnsafeMutablePointer<Int16>
    ) {
        #if arch(x86_64) || arch(arm64)
        kf_spread_row(source, Int32(table.sourceLength), spread)
        table.starts.withUnsafeBufferPointer { starts in
            table.weights.withUnsafeBufferPointer { weights in
                kf_convolve_row(
                    spread,
                    starts.baseAddress,
                    weights.baseAddress,
                    Int32(table.taps),
                    Int32(starts.count),
                    out
                )
            }
        }
        #endif
    }

    /// Filters `taps` rows of fixed point vertically into `count` bytes of RGBA8.
    static func twinColumns(
        _ rows: UnsafePointer<UnsafePointer<Int16>?>,
        _ weights: UnsafePointer<Int16>,
        taps: Int,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int,
        clampsToAlpha: Bool
    ) {
        #if arch(x86_64) || arch(arm64)
        kf_convolve_columns(
            rows,
            weights,
            Int32(taps),
            out,
            Int32(count),
            clampsToAlpha ? 1 : 0
        )
        #endif
    }

    /// Limits every colour to its pixel's alpha, which overshoot could exceed.
    static func clampToAlpha(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
        var pixel = pixels
        for _ in 0..<(count / 4) {
            let alpha = pixel[3]
            pixel[0] = min(pixel[0], alpha)
            pixel[1] = min(pixel[1], alpha)
            pixel[2] = min(pixel[2], alpha)
            pixel += 4
        }
    }
}
