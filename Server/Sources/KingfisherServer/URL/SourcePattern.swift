/// A prefix of allowed sources: one entry of `ALLOWED_SOURCES`.
///
/// `*` stands for any characters except a slash. The scheme and the host are compared without
/// regard to case, buckets with it. A host is always compared as a whole: `http://good.example`
/// allows neither `http://good.example.evil/` nor `http://good.example@evil/`.
struct SourcePattern: Sendable, Hashable {
    private let pieces: [[UInt8]]

    /// Reads a prefix, for example `https://*.example.com/images/`, `s3://` or `local:///public/`.
    ///
    /// - Throws: ``InvalidSetting`` if it does not start with a scheme.
    init(_ text: String) throws(InvalidSetting) {
        guard let (scheme, rest) = SourceRules.parts(of: text) else {
            let example = "for example https://*.example.com/"
            throw InvalidSetting("ALLOWED_SOURCES", "'\(text)' has no scheme; write \(example)")
        }
        var authority = String(rest.prefix { $0 != "/" })
        let path = rest.dropFirst(authority.count)
        if let port = SourceRules.defaultPort[scheme] {
            authority = authority.lowercased()
            if authority.hasSuffix(":\(port)") { authority.removeLast(port.count + 1) }
        }
        let isHostOpen = path.isEmpty && !authority.isEmpty
        let normalised = scheme + "://" + authority + (isHostOpen ? "/" : path)
        pieces = normalised.utf8
            .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// Whether a source starts with the prefix.
    ///
    /// - Parameter source: The normalised text of a source.
    /// - Returns: Whether the pattern matches the start of the text.
    func matches(_ source: String) -> Bool {
        var rest = Array(source.utf8)[...]
        guard rest.starts(with: pieces[0]) else { return false }
        rest.removeFirst(pieces[0].count)
        // The first occurrence is the best one: it leaves the most text for the next piece.
        for piece in pieces.dropFirst() {
            while !rest.starts(with: piece) {
                guard let byte = rest.popFirst(), byte != UInt8(ascii: "/") else { return false }
            }
            rest.removeFirst(piece.count)
        }
        return true
    }
}
