/// Comparison of entity tags and dates with the conditions of requests (RFC 9110, 13).
enum EntityTags {
    /// Whether a condition lists a tag; weak comparison, as for GET.
    ///
    /// - Parameters:
    ///   - condition: The value of `If-None-Match`: a list of tags, or `*`.
    ///   - tag: The tag without quotation marks.
    /// - Returns: Whether the tag is among them.
    static func matches(_ condition: String, _ tag: String) -> Bool {
        var rest = condition.utf8[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","):
                rest = rest.dropFirst()
            case UInt8(ascii: "*"):
                return true
            default:
                if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
                guard rest.first == UInt8(ascii: "\"") else { return false }
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return false }
                if rest[..<end].elementsEqual(tag.utf8) { return true }
                rest = rest[rest.index(after: end)...]
            }
        }
        return false
    }

    /// Whether a client has the current response.
    ///
    /// - Parameters:
    ///   - noneMatch: `If-None-Match`; if present, the date does not count.
    ///   - modifiedSince: `If-Modified-Since`.
    ///   - tag: The tag of the response without quotation marks; nil for none.
    ///   - lastModified: The date of the response; nil for none.
    /// - Returns: Whether 304 is the answer.
    static func isCurrent(
        noneMatch: String?,
        modifiedSince: String?,
        tag: String?,
        lastModified: String?
    ) -> Bool {
        if let noneMatch { return tag.map { matches(noneMatch, $0) } ?? false }
        guard let modifiedSince, let lastModified else { return false }
        guard let since = HTTPTime.seconds(modifiedSince), let last = HTTPTime.seconds(lastModified)
        else { return modifiedSince == lastModified }
        return last <= since
    }
}
