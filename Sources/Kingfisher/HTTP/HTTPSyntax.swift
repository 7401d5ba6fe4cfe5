/// The parts of HTTP's grammar used to validate untrusted text.
enum HTTPSyntax {
    /// The largest number of seconds that is distinguished (RFC 9111, 1.2.2): 68 years.
    static let longest = 1 << 31

    /// Whether `text` is a token (RFC 9110, 5.6.2), such as a method or a header name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Whether `text` has no control character except tab (RFC 9110, 5.5).
    ///
    /// A line break in a value would add another header.
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// The value of decimal digits, limited to `Int.max`; `nil` if `text` contains anything else.
    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text) ?? .max
    }

    /// A number of seconds, limited to ``longest``.
    static func seconds(_ text: some StringProtocol) -> Int? {
        number(text).map { min($0, longest) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// Values that must be sent back unchanged, even if they are not valid UTF-8.
extension HTTPSyntax {
    /// The first of the private-use characters that represent the bytes 128…255.
    private static let opaque: UInt32 = 0xF_0000

    /// A text from which ``bytes(ofOpaque:)`` restores the same bytes.
    static func opaqueText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let scalars = bytes.compactMap {
            Unicode.Scalar($0 < 0x80 ? UInt32($0) : opaque + UInt32($0))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The bytes to send for a text.
    static func bytes(ofOpaque text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            let byte = scalar.value &- opaque
            return 0x80...0xFF ~= byte ? [UInt8(byte)] : Array(String(scalar).utf8)
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: isBlank)
        return start.dropLast(start.reversed().prefix(while: isBlank).count)
    }
}
