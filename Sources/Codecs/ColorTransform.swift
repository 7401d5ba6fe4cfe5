import CLCMS

/// Converts rows of four bytes a pixel to sRGB in place.
final class ColorTransform {
    /// How the four bytes are to be read.
    ///
    /// The values are Little CMS's layouts, which its header computes with macros: colour space from
    /// bit 16, inverted ink at bit 13, uncounted channels from bit 7, channels from bit 3, bytes.
    enum Layout: UInt32 {
        case rgba = 0x4_0099
        /// Three equal channels and alpha: red is the grey, the rest is passed over.
        case gray = 0x3_0189
        case cmyk = 0x6_0021
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
        setsAlpha = layout == .cmyk || layout == .invertedCMYK
    }

    deinit { cmsDeleteTransform(handle) }

    /// Converts `width` pixels; the alpha of grey and RGB stays, that of CMYK becomes 255.
    func apply(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        cmsDoTransform(handle, row, row, UInt32(width))
        guard setsAlpha else { return }
        for x in 0..<width { row[x * 4 + 3] = 255 }
    }
}
