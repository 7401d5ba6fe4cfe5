import CKFLCMS
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Converts pixels of 16 bits per channel to sRGB of 8 bits by way of linear light.
///
/// For profiles of three curves and a matrix, and for high dynamic range. Little CMS is exact with
/// 16 bits only if it evaluates every step for every pixel, which takes twenty times as long; its
/// tables are up to 20 levels off in the dark.
struct LightTransform: Sendable {
    /// Linear light for each value of 16 bits; one curve for each channel.
    private let curves: [[Float]]
    /// From the file's primaries to those of sRGB, row by row.
    private let matrix: [Float]
    private let toneMap: ToneMap?

    /// Makes a converter; nil unless the profile consists of curves and a matrix, or of a curve for
    /// grey.
    ///
    /// - Parameters:
    ///   - profile: For RGB or grey.
    ///   - toneMap: The curve of a file of high dynamic range, in place of those of the profile.
    init?(_ profile: cmsHPROFILE, toneMap: ToneMap? = nil) {
        self.toneMap = toneMap
        // Tables come before curves.
        guard cmsIsTag(profile, cmsSigAToB0Tag) == 0, cmsIsTag(profile, cmsSigDToB0Tag) == 0 else {
            return nil
        }
        if cmsGetColorSpace(profile) == cmsSigGrayData {
            guard let curve = Self.curve(profile, cmsSigGrayTRCTag) else { return nil }
            curves = [curve, curve, curve]
            matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1]
            return
        }
        guard cmsGetColorSpace(profile) == cmsSigRgbData, cmsGetPCS(profile) == cmsSigXYZData,
            let own = Self.colorants(profile), let target = cmsCreate_sRGBProfile()
        else { return nil }
        defer { cmsCloseProfile(target) }
        guard let wanted = Self.colorants(target), let inverse = Self.inverse(wanted) else {
            return nil
        }
        var product = [Double](repeating: 0, count: 9)
        for row in 0..<3 {
            for column in 0..<3 {
                for index in 0..<3 {
                    product[row * 3 + column] += inverse[row * 3 + index] * own[index * 3 + column]
                }
            }
        }
        guard product.allSatisfy(\.isFinite) else { return nil }
        matrix = product.map { Float($0) }
        if let toneMap {
            curves = [toneMap.curve, toneMap.curve, toneMap.curve]
        } else {
            // Most profiles have one curve, to which the three tags refer.
            guard let red = Self.curve(profile, cmsSigRedTRCTag),
                let green = Self.curve(profile, cmsSigGreenTRCTag, or: (cmsSigRedTRCTag, red)),
                let blue = Self.curve(profile, cmsSigBlueTRCTag, or: (cmsSigGreenTRCTag, green))
            else { return nil }
            curves = [red, green, blue]
        }
    }

    /// Converts a row of straight RGBA; alpha is rounded to 8 bits.
    func apply(
        _ source: UnsafePointer<UInt16>,
        to row: UnsafeMutablePointer<UInt8>,
        width: Int
    ) {
        let m = matrix
        let levels = Self.levels
        for x in 0..<width {
            let pixel = source + x * 4
            var red = curves[0][Int(pixel[0])]
            var green = curves[1][Int(pixel[1])]
            var blue = curves[2][Int(pixel[2])]
            if let toneMap { (red, green, blue) = toneMap.mapped(red, green, blue) }
            let target = row + x * 4
            target[0] = levels[Self.index(m[0] * red + m[1] * green + m[2] * blue)]
            target[1] = levels[Self.index(m[3] * red + m[4] * green + m[5] * blue)]
            target[2] = levels[Self.index(m[6] * red + m[7] * green + m[8] * blue)]
            target[3] = DeepRow.byte(pixel[3])
        }
    }

    /// The place in ``levels`` of any number; that of NaN is 0.
    @inline(__always)
    private static func index(_ light: Float) -> Int {
        light > 0 ? (light < 1 ? Int(light * 65_535 + 0.5) : 65_535) : 0
    }

    /// The levels of sRGB for linear light.
    private static let levels: [UInt8] = (0...65_535).map { index in
        let light = Double(index) / 65_535
        let signal = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8(signal * 255 + 0.5)
    }

    // MARK: - Reading profiles

    /// The curve of a tag, or a known one if both tags refer to the same.
    private static func curve(
        _ profile: cmsHPROFILE,
        _ tag: cmsTagSignature,
        or known: (tag: cmsTagSignature, curve: [Float])? = nil
    ) -> [Float]? {
        guard let found = cmsReadTag(profile, tag) else { return nil }
        if let known, found == cmsReadTag(profile, known.tag) { return known.curve }
        let curve = OpaquePointer(found)
        return (0...65_535).map { index in
            let light = cmsEvalToneCurveFloat(curve, Float(index) / 65_535)
            return light.isFinite ? light : 0
        }
    }

    /// The colorants as columns; nil if one is missing.
    private static func colorants(_ profile: cmsHPROFILE) -> [Double]? {
        let tags = [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag]
        let columns = tags.compactMap { tag in
            cmsReadTag(profile, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
        }
        guard columns.count == 3 else { return nil }
        return columns.map(\.X) + columns.map(\.Y) + columns.map(\.Z)
    }

    private static func inverse(_ m: [Double]) -> [Double]? {
        func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[d] - m[b] * m[c] }
        let cofactors = [
            minor(4, 5, 7, 8), -minor(1, 2, 7, 8), minor(1, 2, 4, 5), -minor(3, 5, 6, 8),
            minor(0, 2, 6, 8), -minor(0, 2, 3, 5), minor(3, 4, 6, 7), -minor(0, 1, 6, 7),
            minor(0, 1, 3, 4),
        ]
        let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
        return determinant == 0 ? nil : cofactors.map { $0 / determinant }
    }
}

/// Rows of 16 bits per channel, in the order of the processor.
enum DeepRow {
    /// A channel of 16 bits rounded to 8.
    @inline(__always)
    static func byte(_ value: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(value) * 255 + 32_895) >> 16)
    }

    /// Converts a row of RGBA to premultiplied sRGB of 8 bits.
    ///
    /// - Parameters:
    ///   - source: May be changed.
    ///   - row: The result.
    ///   - width: The number of pixels.
    ///   - alpha: How the source stores transparency.
    ///   - transform: Nil if the source has the colours to keep.
    static func finish(
        _ source: UnsafeMutablePointer<UInt16>,
        to row: UnsafeMutablePointer<UInt8>,
        width: Int,
        _ alpha: StoredAlpha,
        _ transform: ColorTransform?
    ) {
        guard let transform else {
            for index in 0..<width * 4 { row[index] = byte(source[index]) }
            if alpha == .straight { premultiplyRow(row, width: width) }
            return
        }
        if alpha == .premultiplied { unpremultiply(source, width: width) }
        transform.apply(deep: source, to: row, width: width)
        if alpha != .none { premultiplyRow(row, width: width) }
    }

    private static func unpremultiply(_ row: UnsafeMutablePointer<UInt16>, width: Int) {
        for x in 0..<width {
            let pixel = row + x * 4
            let alpha = UInt32(pixel[3])
            guard alpha > 0, alpha < 65_535 else { continue }
            for channel in 0..<3 {
                let value = (UInt32(pixel[channel]) * 65_535 + alpha / 2) / alpha
                pixel[channel] = UInt16(min(65_535, value))
            }
        }
    }
}
