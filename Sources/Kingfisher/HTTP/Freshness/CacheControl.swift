/// The directives of `Cache-Control` that a private cache of images follows (RFC 9111, 5.2;
/// RFC 5861), of a request or of a response.
///
/// `s-maxage`, `public`, `private` and `proxy-revalidate` are for shared caches. `immutable` asks
/// browsers not to revalidate on a reload; a fresh image is never revalidated here.
struct CacheControl: Sendable, Equatable {
    private(set) var isNoStore = false
    /// Also with a list of fields: the image is used without contact as a whole or not at all.
    private(set) var isNoCache = false
    private(set) var mustRevalidate = false
    private(set) var mustUnderstand = false
    /// Seconds; 0 for a value that is no number, which counts as stale.
    private(set) var maxAge: Int?
    private(set) var staleWhileRevalidate: Int?
    private(set) var staleIfError: Int?

    // Of requests alone.

    private(set) var isOnlyIfCached = false
    /// Seconds for which the response must stay fresh.
    private(set) var minFresh = 0
    /// Seconds past its lifetime for which the response will do.
    private(set) var maxStale: Int?

    /// Reads the values of all `Cache-Control` fields of a message.
    init(_ values: [String]) {
        for directive in values.flatMap(Self.directives) { add(directive) }
    }

    /// Reads the fields of a request; `Pragma` counts where there is no `Cache-Control`.
    init(ofRequest value: (String) -> String?) {
        self.init(value("Cache-Control").map { [$0] } ?? [])
        guard value("Cache-Control") == nil, let pragma = value("Pragma") else { return }
        isNoCache = pragma.lowercased().contains("no-cache")
    }

    private mutating func add(_ directive: Directive) {
        let seconds = directive.value.flatMap { HTTPSyntax.seconds($0) }
        switch directive.name {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "only-if-cached": isOnlyIfCached = true
        // Of two that differ, the stricter one counts (RFC 9111, 4.2.1).
        case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
        case "stale-while-revalidate":
            staleWhileRevalidate = min(staleWhileRevalidate ?? .max, seconds ?? 0)
        case "stale-if-error": staleIfError = min(staleIfError ?? .max, seconds ?? 0)
        case "min-fresh": minFresh = max(minFresh, seconds ?? HTTPSyntax.longest)
        case "max-stale":
            let limit = directive.hasValue ? seconds ?? 0 : HTTPSyntax.longest
            maxStale = min(maxStale ?? .max, limit)
        default: break
        }
    }

    // MARK: Grammar

    private struct Directive {
        let name: String
        let hasValue: Bool
        /// Without its quotes; nil where the grammar has no value.
        let value: Substring?

        init(_ text: Substring) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let written = parts[0]
            name = written.trimmed.lowercased()
            hasValue = parts.count > 1
            // A space before the equals sign is an error, and must not make a lifetime longer.
            guard hasValue, written.last != " ", written.last != "\t" else {
                value = nil
                return
            }
            let quoted = parts[1].count > 1 && parts[1].first == "\"" && parts[1].last == "\""
            value = quoted ? parts[1].dropFirst().dropLast() : parts[1]
        }
    }

    /// The members between commas that are not in quotes.
    ///
    /// A quote that is never closed is an ordinary character, so that it hides no directive.
    private static func directives(_ text: String) -> [Directive] {
        var members: [Substring] = []
        var start = text.startIndex
        var place = start
        while place < text.endIndex {
            if text[place] == "\"", let end = closingQuote(after: place, in: text) { place = end }
            if text[place] == "," {
                members.append(text[start..<place])
                start = text.index(after: place)
            }
            place = text.index(after: place)
        }
        members.append(text[start...])
        return members.map(\.trimmed).filter { !$0.isEmpty }.map(Directive.init)
    }

    private static func closingQuote(after quote: String.Index, in text: String) -> String.Index? {
        var place = text.index(after: quote)
        while place < text.endIndex {
            if text[place] == "\"" { return place }
            if text[place] == "\\" { place = text.index(after: place) }
            if place < text.endIndex { place = text.index(after: place) }
        }
        return nil
    }
}
