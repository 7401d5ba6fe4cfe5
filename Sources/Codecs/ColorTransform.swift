import CLCMS

/// Converts rows of four bytes per pixel to sRGB in place.
final class ColorTransform {
    /// The layout of the four input bytes.
    ///
    /// The values are Little CMS's pixel formats, which its header computes with macros: colour
    /// space from bit 16, inverted ink at bit 13, extra channels from bit 7, channels from bit 3,
    /// bytes per sample.
    enum Layout: UInt32 {
        case rgba = 0x4_0099
        /// Three equal channels and alpha: red is read as grey, the others are skipped.
        case gray = 0x3_0189
        case invertedCMYK = 0x6_2021
    }

    private let handle: cmsHTRANSFORM
    private let setsAlpha: Bool

    init?(_ profile: cmsHPROFILE, from layout: Layout) {
        guard let target = cmsCreate_sRGBProfile() else { return nil }
        defer { cmsCloseProfile(target) }
        guard
            let handle = cmsCreateTransform(
                profile,
                layout.rawValue,
                target,
                Layout.rgba.rawValue,
                UInt32(INTENT_PERCEPTUAL),
                0
            )
        else { return nil }
        self.handle = handle
        setsAlpha = layout == .invertedCMYK
    }

    deinit { cmsDeleteTransform(handle) }

    /// Converts `width` pixels.
    ///
    /// Grey and RGB keep their alpha; for CMYK it becomes 255.
    func apply(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        cmsDoTransform(handle, row, row, UInt32(width))
        guard setsAlpha else { return }
        for x in 0..<width { row[x * 4 + 3] = 255 }
    }
}
