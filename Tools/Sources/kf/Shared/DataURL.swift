import ArgumentParser
import Foundation

/// Decodes `data:` URLs (RFC 2397).
enum DataURL {
    /// The decoded bytes of a URL.
    ///
    /// - Throws: A `ValidationError` if it is malformed.
    static func payload(of text: String) throws -> Data {
        let rest = text.dropFirst("data:".count)
        guard let comma = rest.firstIndex(of: ",") else {
            throw ValidationError("the data URL has no comma before its data")
        }
        guard let plain = percentDecoded(rest[rest.index(after: comma)...].utf8) else {
            throw ValidationError("the data URL has an invalid percent-encoding")
        }
        guard rest[..<comma].lowercased().hasSuffix(";base64") else { return plain }
        guard let data = Data(base64Encoded: plain, options: .ignoreUnknownCharacters) else {
            throw ValidationError("the data URL's data is not valid base64")
        }
        return data
    }

    /// Decodes percent-encoding; the bytes need not be UTF-8.
    ///
    /// Returns nil if a percent sign is not followed by two hexadecimal digits.
    private static func percentDecoded(_ text: Substring.UTF8View) -> Data? {
        var bytes = Data()
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
