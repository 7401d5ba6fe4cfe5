import KFPixels

/// Divides the scaling between decoder and resampler.
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

    /// The part of ``storedTarget(of:_:)`` to produce, before orientation; nil for all of it.
    ///
    /// If the part reaches beyond the target, all of it is decoded and cropped later.
    static func storedPart(
        of info: ImageInfo,
        _ target: PixelSize,
        _ options: DecodeOptions
    ) -> PixelRect? {
        let shown = info.orientation.displaySize(of: target)
        guard let part = options.part, !part.isEmpty,
            part == part.intersection(PixelRect(size: shown))
        else { return nil }
        return info.orientation.storedPart(part, in: shown)
    }

    /// The scale at which libjpeg decodes, in eighths: the smallest of 1, 2, 4, 8 that leaves the
    /// resampler at least `margin` times the target, normally twice.
    ///
    /// The inverse transform at a reduced size is a box filter, which aliases. A resampler that
    /// still halves hides it (32.0 dB instead of 31.5 against a float reference, for a tenth more
    /// time). The other scales have no vector code in libjpeg-turbo and are slower than the next
    /// larger one.
    static func jpegEighths(stored: PixelSize, target: PixelSize, margin: Int = 2) -> Int {
        for eighths in [1, 2, 4] {
            let width = (stored.width * eighths + 7) / 8
            let height = (stored.height * eighths + 7) / 8
            // Division cannot overflow; the target comes from the caller and is untrusted.
            if width / margin >= target.width, height / margin >= target.height { return eighths }
        }
        return 8
    }

    /// The size that a decoder with free scaling produces for the resampler: `margin` times the
    /// target, or the stored size if that is smaller.
    static func freelyScaled(stored: PixelSize, target: PixelSize, margin: Int) -> PixelSize {
        // As above.
        guard (stored.width - 1) / margin >= target.width,
            (stored.height - 1) / margin >= target.height
        else { return stored }
        return PixelSize(width: target.width * margin, height: target.height * margin)
    }
}
