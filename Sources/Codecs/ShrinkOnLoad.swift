import Pixels

/// Which part of a scaling the decoder does itself.
enum ShrinkOnLoad {
    /// The size to produce, before orientation.
    static func storedTarget(of info: ImageInfo, _ target: DecodeOptions.Target) -> PixelSize {
        let shown =
            switch target {
            case .full: info.displaySize
            case .fit(let box): info.displaySize.fitted(inside: box)
            case .exact(let size): size
            }
        return info.orientation.swapsSides ? shown.transposed : shown
    }

    /// The eighths at which libjpeg decodes: the least of 1, 2, 4, 8 that leaves the resampler at
    /// least twice the target to filter.
    ///
    /// The inverse transform at a reduced size is a box filter that aliases; a resampler that still
    /// halves hides it (32.0 dB instead of 31.5 against a float reference for a tenth
    /// more time). The sizes between have no vector code in libjpeg-turbo and are slower than the next
    /// larger one.
    static func jpegEighths(stored: PixelSize, target: PixelSize) -> Int {
        let margin = 2
        for eighths in [1, 2, 4] {
            let width = (stored.width * eighths + 7) / 8
            let height = (stored.height * eighths + 7) / 8
            // Divided, because a target is whatever a caller says.
            if width / margin >= target.width, height / margin >= target.height { return eighths }
        }
        return 8
    }

    /// The size at which a decoder that scales freely leaves the rest to the resampler: twice the
    /// target, never enlarged.
    static func freelyScaled(stored: PixelSize, target: PixelSize) -> PixelSize {
        let margin = 2
        // As above.
        guard (stored.width - 1) / margin >= target.width,
            (stored.height - 1) / margin >= target.height
        else { return stored }
        return PixelSize(width: target.width * margin, height: target.height * margin)
    }
}
