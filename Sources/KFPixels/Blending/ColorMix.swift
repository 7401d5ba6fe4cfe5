private import CKFKernels

/// Multiplies each pixel by a factor and adds a colour, for tints and overlays.
struct ColorMix {
    private let color: UInt32
    private let keep: UInt8
    private let isByShape: Bool
    private let backend: Convolution.Backend

    /// The sum of `keeping` and any channel of the colour must not exceed 255.
    ///
    /// - Parameters:
    ///   - color: Premultiplied.
    ///   - keeping: The factor of the pixels; 255 keeps them as they are.
    ///   - isByShape: Whether the colour is multiplied by each pixel's alpha.
    ///   - backend: Both give the same pixels.
    init(
        _ color: RGBA,
        keeping: UInt8,
        isByShape: Bool,
        backend: Convolution.Backend = Convolution.backend
    ) {
        let low = UInt32(color.red) | UInt32(color.green) << 8
        self.color = low | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        keep = keeping
        self.isByShape = isByShape
        self.backend = backend
    }

    func row(_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, width: Int) {
        #if arch(x86_64) || arch(arm64)
        if backend == .twin {
            kf_mix_row(from, to, Int32(width), color, Int32(keep), isByShape ? 1 : 0)
            return
        }
        #endif
        let constant = PixelPairs(SIMD8<UInt32>(repeating: color))
        let factor = PixelPairs.Lanes(repeating: UInt16(keep))
        if isByShape {
            mapPixels(from, to, width: width) { pixels in
                let shape = PixelPairs.alphas(of: pixels)
                return (PixelPairs(pixels) * factor + constant * shape).dividedBy255
            }
        } else {
            let whole = constant * PixelPairs.Lanes(repeating: 255)
            mapPixels(from, to, width: width) { pixels in
                (PixelPairs(pixels) * factor + whole).dividedBy255
            }
        }
    }
}
