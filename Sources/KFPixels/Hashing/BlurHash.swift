/// A placeholder in 20 to 30 characters: a few cosines in base 83.
///
/// Format: Wolt, BlurHash (https://github.com/woltapp/blurhash, Algorithm.md).
package struct BlurHash: Hashable, Sendable {
    package let text: String
    /// The number of horizontal cosines, 1…9.
    package let columns: Int
    /// The number of vertical cosines, 1…9.
    package let rows: Int
    private let digits: [Int]

    /// Parses the text of a hash.
    ///
    /// - Throws: ``PlaceholderHashError``.
    package init(text: String) throws(PlaceholderHashError) {
        var digits: [Int] = []
        for (offset, character) in text.utf8.enumerated() {
            guard let digit = Base83.value(of: character) else {
                throw .invalidCharacter(offset: offset)
            }
            digits.append(digit)
        }
        guard digits.count >= 6 else { throw .wrongLength(found: digits.count, expected: 6) }
        guard digits[0] < 81 else { throw .invalidHeader }
        columns = digits[0] % 9 + 1
        rows = digits[0] / 9 + 1
        let expected = 4 + 2 * columns * rows
        guard digits.count == expected else {
            throw .wrongLength(found: digits.count, expected: expected)
        }
        guard Base83.number(digits[2..<6]) < 1 << 24 else { throw .invalidHeader }
        self.digits = digits
        self.text = text
    }

    init(digits: [Int], columns: Int, rows: Int) {
        self.digits = digits
        self.columns = columns
        self.rows = rows
        text = Base83.text(digits)
    }

    /// The average colour.
    package var averageColor: RGBA {
        let value = Base83.number(digits[2..<6])
        return RGBA(
            red: UInt8(truncatingIfNeeded: value >> 16),
            green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value)
        )
    }

    /// All factors in linear light, row by row; the first is the average.
    ///
    /// `punch` multiplies the contrast of all but the first.
    func factors(punch: Double) -> [SIMD3<Double>] {
        let average = averageColor
        let largest = Double(digits[1] + 1) / 166 * punch
        let first = SIMD3(
            LinearLight.value(of: average.red),
            LinearLight.value(of: average.green),
            LinearLight.value(of: average.blue)
        )
        return [first]
            + (1..<(columns * rows)).map { index in
                let start = 4 + index * 2
                let value = Base83.number(digits[start..<(start + 2)])
                func part(_ level: Int) -> Double {
                    let signed = (Double(level) - 9) / 9
                    return signed * abs(signed) * largest
                }
                // Two digits can encode slightly more than three times nineteen levels.
                return SIMD3(
                    part(min(18, value / 361)),
                    part(value / 19 % 19),
                    part(value % 19)
                )
            }
    }
}

/// Numbers in base 83, the most significant digit first.
enum Base83 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )

    static func value(of character: UInt8) -> Int? { alphabet.firstIndex(of: character) }

    static func number(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 83 + $1 } }

    static func digits(_ value: Int, count: Int) -> [Int] {
        var rest = value
        var result: [Int] = []
        for _ in 0..<count {
            result.append(rest % 83)
            rest /= 83
        }
        return result.reversed()
    }

    static func text(_ digits: [Int]) -> String {
        String(decoding: digits.map { alphabet[$0] }, as: UTF8.self)
    }
}
