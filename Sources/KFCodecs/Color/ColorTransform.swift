import CKFLCMS

/// Converts rows of four channels to sRGB of 8 bits.
final class ColorTransform {
    /// The layout of the input.
    ///
    /// The values are Little CMS's pixel formats, which its header computes with macros: colour
    /// space from bit 16, inverted ink at bit 13, extra channels from bit 7, channels from bit 3,
    /// bytes per sample.
    enum Layout: UInt32 {
        case rgba = 0x4_0099
        /// Three equal channels and alpha: red is read as grey, the others are skipped.
        case gray = 0x3_0189
        case invertedCMYK = 0x6_2021
        /// 16 bits per channel.
        case deepRGBA = 0x4_009A
        /// As ``gray``, with 16 bits per channel.
        case deepGray = 0x3_018A
    }

    private enum Engine {
        case library(cmsHTRANSFORM)
        case light(LightTransform)
    }

    private let engine: Engine
    private let setsAlpha: Bool

    init?(_ profile: cmsHPROFILE, from layout: Layout) {
        guard let target = cmsCreate_sRGBProfile() else { return nil }
        defer { cmsCloseProfile(target) }
        let isDeep = layout == .deepRGBA || layout == .deepGray
        guard
            let handle = cmsCreateTransform(
                profile,
                layout.rawValue,
                target,
                Layout.rgba.rawValue,
                UInt32(INTENT_PERCEPTUAL),
                // Exact: tables of 16 bits are many levels off in the dark.
                isDeep ? UInt32(cmsFLAGS_NOOPTIMIZE) : 0
            )
        else { return nil }
        engine = .library(handle)
        setsAlpha = layout == .invertedCMYK
    }

    init(_ light: LightTransform) {
        engine = .light(light)
        setsAlpha = false
    }

    deinit {
        if case .library(let handle) = engine { cmsDeleteTransform(handle) }
    }

    /// Converts `width` pixels of 8 bits per channel in place.
    ///
    /// Grey and RGB keep their alpha; for CMYK it becomes 255.
    func apply(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        switch engine {
        case .library(let handle):
            cmsDoTransform(handle, row, row, UInt32(width))
            guard setsAlpha else { return }
            for x in 0..<width { row[x * 4 + 3] = 255 }
        case .light(let light):
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * 4) { deep in
                guard let base = deep.baseAddress else { return }
                for index in 0..<width * 4 { base[index] = UInt16(row[index]) * 257 }
                light.apply(base, to: row, width: width)
            }
        }
    }

    /// Converts `width` pixels of 16 bits per channel, with straight alpha, to 8 bits.
    func apply(deep source: UnsafePointer<UInt16>, to row: UnsafeMutablePointer<UInt8>, width: Int)
    {
        switch engine {
        case .library(let handle):
            cmsDoTransform(handle, source, row, UInt32(width))
            for x in 0..<width { row[x * 4 + 3] = DeepRow.byte(source[x * 4 + 3]) }
        case .light(let light):
            light.apply(source, to: row, width: width)
        }
    }
}
