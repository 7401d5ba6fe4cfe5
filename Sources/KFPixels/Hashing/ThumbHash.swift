/// A placeholder in about 25 bytes: average, aspect ratio, alpha and the lowest frequencies.
///
/// Format: Evan Wallace, ThumbHash (https://evanw.github.io/thumbhash/).
package struct ThumbHash: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Parses the bytes of a hash.
    ///
    /// Extra bytes at the end are an error.
    ///
    /// - Throws: ``PlaceholderHashError``.
    package init(bytes: [UInt8]) throws(PlaceholderHashError) {
        guard bytes.count >= 5 else {
            throw .wrongLength(found: bytes.count, expected: 5)
        }
        self.bytes = bytes
        let header = Header(bytes)
        guard (1...7).contains(header.width), (1...7).contains(header.height) else {
            throw .invalidHeader
        }
        let nibbles =
            Self.count(header.codedWidth, header.codedHeight) + 2 * Self.count(3, 3)
            + (header.hasAlpha ? Self.count(5, 5) : 0)
        let expected = header.start + (nibbles + 1) / 2
        guard bytes.count == expected else {
            throw .wrongLength(found: bytes.count, expected: expected)
        }
    }

    init(encoded: [UInt8]) { bytes = encoded }

    /// Width by height, within the precision of seven steps.
    package var aspectRatio: Double {
        let header = Header(bytes)
        return Double(header.width) / Double(header.height)
    }

    /// The number of frequencies in the triangle, without the constant.
    static func count(_ width: Int, _ height: Int) -> Int {
        (0..<height).reduce(-1) { $0 + frequencies(in: $1, width, height) }
    }

    /// The number of frequencies in row `row` of the triangle.
    static func frequencies(in row: Int, _ width: Int, _ height: Int) -> Int {
        (width * (height - row) + height - 1) / height
    }

    /// The fields of the first five or six bytes.
    struct Header {
        let luma: Double
        let yellow: Double
        let red: Double
        let alpha: Double
        let lumaScale: Double
        let yellowScale: Double
        let redScale: Double
        let alphaScale: Double
        let hasAlpha: Bool
        /// The luma frequencies in proportion to the aspect ratio.
        let width: Int
        let height: Int
        /// The offset of the frequencies.
        var start: Int { hasAlpha ? 6 : 5 }
        /// At least three frequencies are stored per axis.
        var codedWidth: Int { max(3, width) }
        var codedHeight: Int { max(3, height) }

        init(_ bytes: [UInt8]) {
            let low = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            let high = Int(bytes[3]) | Int(bytes[4]) << 8
            luma = Double(low & 63) / 63
            yellow = Double((low >> 6) & 63) / 31.5 - 1
            red = Double((low >> 12) & 63) / 31.5 - 1
            lumaScale = Double((low >> 18) & 31) / 31
            hasAlpha = low >> 23 == 1
            yellowScale = Double((high >> 3) & 63) / 63
            redScale = Double((high >> 9) & 63) / 63
            let long = hasAlpha ? 5 : 7
            let isLandscape = high >> 15 == 1
            width = isLandscape ? long : high & 7
            height = isLandscape ? high & 7 : long
            let extra = hasAlpha && bytes.count > 5 ? bytes[5] : 15
            alpha = Double(extra & 15) / 15
            alphaScale = Double(extra >> 4) / 15
        }
    }
}
