/// Hexadecimal digits, two for each byte.
enum Hexadecimal {
    /// The bytes as lower-case digits.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { digits(of: $0, from: lower) }, as: UTF8.self)
    }

    /// The two digits of a byte in upper case, as in percent-encoding.
    static func upperCaseDigits(of byte: UInt8) -> [UInt8] { digits(of: byte, from: upper) }

    /// The bytes of a text of digits in any case; nil for other characters or an odd number.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            guard let high = value(of: first), let low = value(of: second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of a digit in any case; nil for other characters.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static let lower = Array("0123456789abcdef".utf8)
    private static let upper = Array("0123456789ABCDEF".utf8)

    private static func digits(of byte: UInt8, from alphabet: [UInt8]) -> [UInt8] {
        [alphabet[Int(byte >> 4)], alphabet[Int(byte & 15)]]
    }
}
