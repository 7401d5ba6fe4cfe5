#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The kernel that weighs source pixels around each target pixel.
package enum ResampleFilter: Hashable, Sendable, CaseIterable {
    /// Windowed sinc with three lobes: the sharpest, with slight ringing at hard edges.
    case lanczos3
    /// Cubic convolution with a = −0.5 (Keys 1981, Catmull–Rom).
    case bicubic
    /// A triangle, widened when shrinking.
    case bilinear
    /// The mean of the covered area.
    case box

    /// Half the width of the kernel in pixels of the coarser grid.
    var support: Double {
        switch self {
        case .lanczos3: 3
        case .bicubic: 2
        case .bilinear: 1
        case .box: 0.5
        }
    }

    /// The kernel's value at `distance` from its centre, not normalized.
    func weight(at distance: Double) -> Double {
        let x = abs(distance)
        switch self {
        case .lanczos3:
            return x < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
        case .bicubic:
            if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
            return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
        case .bilinear:
            return max(0, 1 - x)
        case .box:
            // Half open, so that a source pixel on the border counts for one target pixel only.
            return distance > -0.5 && distance <= 0.5 ? 1 : 0
        }
    }

    private static func sinc(_ x: Double) -> Double {
        guard x > 1e-9 else { return 1 }
        let angle = x * Double.pi
        return sin(angle) / angle
    }
}
