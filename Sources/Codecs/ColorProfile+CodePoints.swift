import CLCMS

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ColorProfile {
    /// The profile for code points; nil if they stand for sRGB, or are unspecified or unknown.
    ///
    /// In high dynamic range images, light brighter than white is clipped to white.
    ///
    /// Source: ITU-T H.273, tables 2 and 3; ITU-R BT.2100 and BT.2408 (reference white).
    ///
    /// - Parameters:
    ///   - primaries: `ColourPrimaries`.
    ///   - transfer: `TransferCharacteristics`.
    convenience init?(primaries: Int, transfer: Int) {
        // Viewers treat the television curves as that of sRGB.
        let isUsualCurve = [1, 2, 6, 13, 14, 15].contains(transfer)
        guard var triple = Self.primaries(primaries == 2 && !isUsualCurve ? 1 : primaries),
            !(primaries == 1 && isUsualCurve)
        else { return nil }
        var white = Self.white(primaries)
        guard let curve = Self.curve(isUsualCurve ? 13 : transfer) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var curves: [OpaquePointer?] = [curve, curve, curve]
        guard let handle = cmsCreateRGBProfile(&white, &triple, &curves) else { return nil }
        // Curves of high dynamic range need more than eight bits.
        self.init(owning: handle, isKeepable: ![16, 18].contains(transfer))
    }

    private static func white(_ code: Int) -> cmsCIExyY {
        code == 11
            ? cmsCIExyY(x: 0.314, y: 0.351, Y: 1)
            : cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    }

    private static func primaries(_ code: Int) -> cmsCIExyYTRIPLE? {
        let points: [Double]? =
            switch code {
            case 1: [0.640, 0.330, 0.300, 0.600, 0.150, 0.060]
            case 5: [0.640, 0.330, 0.290, 0.600, 0.150, 0.060]
            case 6, 7: [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]
            case 9: [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]
            case 11, 12: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
            default: nil
            }
        return points.map { point in
            cmsCIExyYTRIPLE(
                Red: cmsCIExyY(x: point[0], y: point[1], Y: 1),
                Green: cmsCIExyY(x: point[2], y: point[3], Y: 1),
                Blue: cmsCIExyY(x: point[4], y: point[5], Y: 1)
            )
        }
    }

    private static func curve(_ code: Int) -> OpaquePointer? {
        switch code {
        case 4: cmsBuildGamma(nil, 2.2)
        case 5: cmsBuildGamma(nil, 2.8)
        case 8: cmsBuildGamma(nil, 1)
        case 13: table(sRGBLight)
        case 16: table { perceptualLight($0) / 203 }
        // 0.265: the light of BT.2408's reference white, which is 75 % of the signal.
        case 18: table { hybridLight($0) / 0.265 }
        default: nil
        }
    }

    private static func table(_ light: (Double) -> Double) -> OpaquePointer? {
        // 4096 entries: four steps for each value of 10 bits.
        let values = (0..<4096).map { index in
            UInt16(min(1, light(Double(index) / 4095)) * 65_535 + 0.5)
        }
        return cmsBuildTabulatedToneCurve16(nil, UInt32(values.count), values)
    }

    private static func sRGBLight(_ signal: Double) -> Double {
        signal <= 0.04045 ? signal / 12.92 : pow((signal + 0.055) / 1.055, 2.4)
    }

    /// Light in candela per square metre, 0…10,000.
    private static func perceptualLight(_ signal: Double) -> Double {
        let power = pow(signal, 32 / 2523.0)
        let light = max(power - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * power)
        return 10_000 * pow(light, 8192 / 1305.0)
    }

    private static func hybridLight(_ signal: Double) -> Double {
        signal <= 0.5
            ? signal * signal / 3
            : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }
}
