import CKFDeflate

/// The chunks of a PNG that state its colours.
///
/// The first of these that is present and readable counts: code points (`cICP`), an ICC profile
/// (`iCCP`), sRGB (`sRGB`), a curve and primaries (`gAMA`, `cHRM`). A file with none is sRGB.
///
/// Source: W3C, Portable Network Graphics (Third Edition), 4.3 and 11.3.2.
struct PNGColors {
    private var codePoints: (primaries: Int, transfer: Int)?
    /// The place and the length of the profile's chunk in the file.
    private(set) var profile: Range<Int>?
    private var isSRGB = false
    /// The exponent of the encoding: 1 over that of the curve.
    private var gamma: Double?
    /// White, red, green and blue, each as x and y.
    private var chromaticities: [Double]?

    /// The primaries and white of sRGB.
    private static let usual = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]

    /// Reads a chunk; false if it states no colours.
    mutating func read(_ file: ByteReader, at type: Int, _ body: ByteReader) -> Bool {
        if file.has("iCCP", at: type) {
            profile = profile ?? type + 4..<type + 4 + body.count
        } else if file.has("sRGB", at: type) {
            isSRGB = true
        } else if file.has("cICP", at: type) {
            // The matrix must be that of RGB, in full range.
            guard let primaries = body.u8(at: 0), let transfer = body.u8(at: 1),
                body.u8(at: 2) == 0, body.u8(at: 3) == 1
            else { return true }
            codePoints = (primaries, transfer)
        } else if file.has("gAMA", at: type) {
            gamma = body.u32(at: 0).map { Double($0) / 100_000 }
        } else if file.has("cHRM", at: type) {
            let numbers = (0..<8).compactMap { body.u32(at: $0 * 4) }
            if numbers.count == 8 { chromaticities = numbers.map { Double($0) / 100_000 } }
        } else {
            return false
        }
        return true
    }

    /// The profile of the pixels; nil for sRGB.
    func makeProfile(_ file: UnsafeRawBufferPointer) -> ColorProfile? {
        if let codePoints {
            let (primaries, transfer) = codePoints
            if ColorProfile.isSRGB(primaries: primaries, transfer: transfer) { return nil }
            if let found = ColorProfile(primaries: primaries, transfer: transfer) { return found }
        }
        if let bytes = profileBytes(file) {
            let found = bytes.withUnsafeBytes(ColorProfile.init)
            if let found, found.space == .rgb || found.space == .gray { return found }
            if bytes.withUnsafeBytes(KnownProfiles.isSRGB) == true { return nil }
        }
        guard !isSRGB else { return nil }
        // Differences of curves below 5 %, and of primaries below 1 %, are invisible.
        let hasUsualCurve = gamma.map { (0.4318...0.4773).contains($0) } ?? true
        let points = chromaticities ?? Self.usual
        let areUsual = zip(points, Self.usual).allSatisfy { abs($0 - $1) < 0.005 }
        if hasUsualCurve, areUsual { return nil }
        guard hasUsualCurve || gamma.map({ $0 > 0.01 && $0 < 10 }) == true else { return nil }
        return ColorProfile(
            gamma: hasUsualCurve ? nil : gamma.map { 1 / $0 },
            chromaticities: areUsual ? Self.usual : points
        )
    }

    /// The inflated profile; nil if there is none or it is damaged.
    private func profileBytes(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let profile,
            let chunk = ByteReader(file, .big)
                .slice(at: profile.lowerBound, count: profile.count),
            // A name of at most 79 characters, its end, and the only method of compression.
            let end = chunk.prefix(80).firstIndex(of: 0), end + 2 < chunk.count,
            chunk[end + 1] == 0,
            let inflater = libdeflate_alloc_decompressor()
        else { return nil }
        defer { libdeflate_free_decompressor(inflater) }
        let stream = UnsafeRawBufferPointer(rebasing: chunk[(end + 2)...])
        // Most profiles have a few kilobytes, those of printers up to 2 MB.
        for room in [16 << 10, 1 << 20, ColorProfile.maxByteCount] {
            var result = LIBDEFLATE_BAD_DATA
            let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                count = 0
                result = libdeflate_zlib_decompress(
                    inflater,
                    stream.baseAddress,
                    stream.count,
                    buffer.baseAddress,
                    room,
                    &count
                )
                if result != LIBDEFLATE_SUCCESS { count = 0 }
            }
            if result == LIBDEFLATE_SUCCESS { return bytes }
            guard result == LIBDEFLATE_INSUFFICIENT_SPACE else { return nil }
        }
        return nil
    }
}
