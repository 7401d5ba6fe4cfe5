/// The directives of `Cache-Control` that a private cache of pictures heeds (RFC 9111, 5.2.2;
/// RFC 5861).
///
/// `s-maxage`, `public`, `private` and `proxy-revalidate` are for shared caches, which this is not.
struct CacheControl: Sendable, Equatable {
    private(set) var isNoStore = false
    /// With a list of fields, too: that is the careful reading.
    private(set) var isNoCache = false
    private(set) var mustRevalidate = false
    /// Seconds; 0 for a value that is no number, which counts as stale.
    private(set) var maxAge: Int?
    private(set) var staleWhileRevalidate = 0
    private(set) var staleIfError = 0

    /// Reads the values of all `Cache-Control` fields of an answer.
    init(_ values: [String]) {
        for directive in values.flatMap(Self.directives) {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map({ Self.trimmed($0).lowercased() }) else { continue }
            let value = parts.count > 1 ? Self.trimmed(parts[1]) : ""
            switch name {
            case "no-store": isNoStore = true
            case "no-cache": isNoCache = true
            case "must-revalidate": mustRevalidate = true
            // Said twice, the shorter time counts.
            case "max-age": maxAge = min(maxAge ?? .max, HTTPSyntax.seconds(value) ?? 0)
            case "stale-while-revalidate": staleWhileRevalidate = HTTPSyntax.seconds(value) ?? 0
            case "stale-if-error": staleIfError = HTTPSyntax.seconds(value) ?? 0
            default: break
            }
        }
    }

    /// The parts between commas, but for commas between quotes.
    private static func directives(_ text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let ends: Set<Character> = [" ", "\t", "\""]
        let start = text.drop { ends.contains($0) }
        let count = start.reversed().prefix { ends.contains($0) }.count
        return start.dropLast(count)
    }
}
