/// The parts of HTTP's grammar that text from outside is held against.
enum HTTPSyntax {
    /// The largest number of seconds that is told apart from others (RFC 9111, 1.2.2): 68 years.
    static let longest = 1 << 31

    /// Whether `text` is a token (RFC 9110, 5.6.2): a method or the name of a header.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Whether `text` has no control character but the tabulator (RFC 9110, 5.5).
    ///
    /// A line break in a header would smuggle in a second one.
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// The number that `text` writes in decimal digits, at most `Int.max`; `nil` if there is
    /// anything but digits.
    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text) ?? .max
    }

    /// A number of seconds, at most ``longest``.
    static func seconds(_ text: some StringProtocol) -> Int? {
        number(text).map { min($0, longest) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// Values that must go back as they came, also where they are no text.
extension HTTPSyntax {
    /// Private-use characters that stand for the bytes 128…255.
    private static let opaque: UInt32 = 0xF_0000

    /// A text of which ``bytes(ofOpaque:)`` makes the same bytes again.
    static func opaqueText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let scalars = bytes.compactMap {
            Unicode.Scalar($0 < 0x80 ? UInt32($0) : opaque + UInt32($0))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The bytes of a text for the wire.
    static func bytes(ofOpaque text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            let byte = scalar.value &- opaque
            return 0x80...0xFF ~= byte ? [UInt8(byte)] : Array(String(scalar).utf8)
        }
    }
}

extension StringProtocol {
    /// Without spaces and tabulators at both ends.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: isBlank)
        return start.dropLast(start.reversed().prefix(while: isBlank).count)
    }
}
