import ArgumentParser
import Foundation

/// A request header as given on the command line.
struct RequestHeader: Sendable {
    let name: String
    let value: String

    /// Parses `Name: value`.
    ///
    /// - Throws: A `ValidationError` if it has another form.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        // The characters of a token (RFC 9110, 5.6.2).
        let marks = "!#$%&'*+-.^_`|~"
        let isToken = name.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0))
        }
        guard parts.count == 2, !name.isEmpty, isToken, !text.contains(where: \.isNewline) else {
            // Without the text, which may have a key.
            throw ValidationError("this is not a header; write 'Name: value'")
        }
        self.name = name
        value = parts[1].trimmingCharacters(in: .whitespaces)
    }
}
