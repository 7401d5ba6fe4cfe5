import Foundation

/// The result of a command: an object of JSON for programs, lines for people.
protocol Report: Encodable {
    /// For people.
    func summary() -> String
}

extension Encodable {
    /// One line of JSON, its fields in the order of the alphabet, dates in UTC.
    ///
    /// Control characters that JSON allows but terminals obey are escaped, too.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let line = String(decoding: try encoder.encode(self), as: UTF8.self)
        return line.unicodeScalars.reduce(into: "") { result, scalar in
            guard case 0x7F..<0xA0 = scalar.value else {
                return result.unicodeScalars.append(scalar)
            }
            result += String(format: "\\u%04x", scalar.value)
        }
    }
}
