import Foundation

extension String {
    /// Whether the text has a character at which a URL in a sentence ends.
    ///
    /// Whatever shortens the URLs of a text would take the rest for words.
    var hasEndOfURL: Bool {
        unicodeScalars.contains { $0.value <= 0x20 || "\"<>“”".unicodeScalars.contains($0) }
    }

    /// The text; of one with ``hasEndOfURL`` only its beginning up to the host.
    var hidingCutURL: String {
        guard hasEndOfURL, let slashes = range(of: "://") else { return self }
        return self[..<slashes.upperBound] + "…"
    }
}
