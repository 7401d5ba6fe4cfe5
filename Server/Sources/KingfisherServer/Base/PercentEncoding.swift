/// Percent-encoding as in RFC 3986, section 2.1.
enum PercentEncoding {
    /// The text with every triple `%xx` decoded once, or nil for a malformed triple or bytes that
    /// are not UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                let low = rest.popFirst().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text with every byte encoded that is neither unreserved nor in `safe`.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - safe: ASCII characters to keep.
    ///   - keepsTriples: Whether valid triples `%xx` stay as they are.
    /// - Returns: Text in ASCII, if all the characters to keep are.
    static func encoded(
        _ text: some StringProtocol,
        keeping safe: String = "",
        keepsTriples: Bool = false
    ) -> String {
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let isTriple =
                keepsTriples && byte == UInt8(ascii: "%")
                && rest.prefix(2).count(where: { Hexadecimal.value(of: $0) != nil }) == 2
            if isUnreserved(byte) || safe.utf8.contains(byte) || isTriple {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%")] + Hexadecimal.upperCaseDigits(of: byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
