import CKFLCMS

extension ColorProfile {
    /// The profile for code points; nil if they stand for sRGB, or are unspecified or unknown.
    ///
    /// High dynamic range is shown as ``ToneMap`` describes.
    ///
    /// Source: ITU-T H.273, tables 2 and 3; ITU-R BT.2100 (PQ, HLG).
    ///
    /// - Parameters:
    ///   - primaries: `ColourPrimaries`.
    ///   - transfer: `TransferCharacteristics`.
    convenience init?(primaries: Int, transfer: Int) {
        let isUsualCurve = Self.usualCurves.contains(transfer)
        guard let points = Self.primaries(primaries == 2 && !isUsualCurve ? 1 : primaries),
            !Self.isSRGB(primaries: primaries, transfer: transfer)
        else { return nil }
        let toneMap = ToneMap.of(transfer: transfer)
        guard let curve = Self.curve(isUsualCurve ? 13 : toneMap != nil ? 8 : transfer),
            let handle = Self.handle(white: Self.white(primaries), points, curve)
        else { return nil }
        // Curves of high dynamic range need more than eight bits.
        self.init(owning: handle, isKeepable: toneMap == nil, toneMap: toneMap)
    }

    /// The profile for an exponent and primaries; nil if they are out of range.
    ///
    /// - Parameters:
    ///   - gamma: The exponent of the curve; nil for the curve of sRGB.
    ///   - chromaticities: White, red, green and blue, each as x and y.
    convenience init?(gamma: Double?, chromaticities: [Double]) {
        guard chromaticities.count == 8, chromaticities.allSatisfy({ $0 >= 0 && $0 <= 2 }),
            chromaticities[1] > 0,
            let curve = gamma.map({ cmsBuildGamma(nil, $0) }) ?? Self.curve(13),
            let handle = Self.handle(
                white: cmsCIExyY(x: chromaticities[0], y: chromaticities[1], Y: 1),
                Array(chromaticities[2...]),
                curve
            )
        else { return nil }
        self.init(owning: handle, isExact: true)
    }

    /// Whether code points stand for sRGB.
    static func isSRGB(primaries: Int, transfer: Int) -> Bool {
        primaries == 1 && usualCurves.contains(transfer)
    }

    /// The television curves and that of sRGB, which viewers treat alike.
    private static let usualCurves: Set = [1, 2, 6, 13, 14, 15]

    /// Consumes the curve.
    private static func handle(
        white: cmsCIExyY,
        _ points: [Double],
        _ curve: OpaquePointer
    ) -> cmsHPROFILE? {
        defer { cmsFreeToneCurve(curve) }
        var white = white
        var triple = cmsCIExyYTRIPLE(
            Red: cmsCIExyY(x: points[0], y: points[1], Y: 1),
            Green: cmsCIExyY(x: points[2], y: points[3], Y: 1),
            Blue: cmsCIExyY(x: points[4], y: points[5], Y: 1)
        )
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&white, &triple, &curves)
    }

    private static func white(_ code: Int) -> cmsCIExyY {
        code == 11
            ? cmsCIExyY(x: 0.314, y: 0.351, Y: 1)
            : cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    }

    /// Red, green and blue, each as x and y.
    private static func primaries(_ code: Int) -> [Double]? {
        switch code {
        case 1: [0.640, 0.330, 0.300, 0.600, 0.150, 0.060]
        case 5: [0.640, 0.330, 0.290, 0.600, 0.150, 0.060]
        case 6, 7: [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]
        case 9: [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]
        case 11, 12: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
        default: nil
        }
    }

    private static func curve(_ code: Int) -> OpaquePointer? {
        switch code {
        case 4: cmsBuildGamma(nil, 2.2)
        case 5: cmsBuildGamma(nil, 2.8)
        case 8: cmsBuildGamma(nil, 1)
        // Exponent, scale and offset, slope and limit of the linear part.
        case 13:
            cmsBuildParametricToneCurve(
                nil,
                4,
                [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
            )
        default: nil
        }
    }
}
