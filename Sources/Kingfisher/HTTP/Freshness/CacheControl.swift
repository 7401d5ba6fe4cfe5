/// The directives of `Cache-Control` that apply to a cache of images (RFC 9111, 5.2; RFC 5861), of a
/// request or a response.
///
/// `s-maxage`, `private`, `public` and `proxy-revalidate` apply only to shared caches. `immutable` asks
/// browsers not to revalidate on reload; here a fresh image is never revalidated.
struct CacheControl: Sendable, Equatable {
    private(set) var isNoStore = false
    /// Whether a shared cache must not store the response; false for other caches.
    private(set) var isPrivate = false
    /// Also set by the form with field names, because the image is used as a whole or not at all.
    private(set) var isNoCache = false
    private(set) var mustRevalidate = false
    private(set) var mustUnderstand = false
    /// In seconds; 0 for an invalid value, which makes the response stale.
    private(set) var maxAge: Int?
    private(set) var staleWhileRevalidate: Int?
    private(set) var staleIfError: Int?

    // For requests only.

    private(set) var isOnlyIfCached = false
    /// The number of seconds for which the response must remain fresh.
    private(set) var minFresh = 0
    /// The number of seconds past its lifetime for which a response is accepted.
    private(set) var maxStale: Int?

    /// Parses the values of all `Cache-Control` fields of a message.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - isShared: Whether the directives for shared caches apply.
    ///   - isAuthorized: Whether the message is the response to a request with `Authorization`.
    init(_ values: [String], isShared: Bool = false, isAuthorized: Bool = false) {
        let directives = values.flatMap(Self.directives)
        for directive in directives { add(directive) }
        if isShared { addShared(directives, isAuthorized: isAuthorized) }
    }

    /// Parses the fields of a request; `Pragma` is used if there is no `Cache-Control`.
    init(ofRequest value: (String) -> String?) {
        self.init(value("Cache-Control").map { [$0] } ?? [])
        guard value("Cache-Control") == nil, let pragma = value("Pragma") else { return }
        isNoCache = pragma.lowercased().contains("no-cache")
    }

    /// The directives that allow a shared cache to store the response to a request with
    /// `Authorization` (RFC 9111, 3.5).
    private static let sharing: Set = ["must-revalidate", "public", "s-maxage"]

    /// Applies the directives for shared caches (RFC 9111, 5.2.2.7 to 5.2.2.10).
    private mutating func addShared(_ directives: [Directive], isAuthorized: Bool) {
        let names = Set(directives.map(\.name))
        isPrivate =
            names.contains("private") || isAuthorized && names.isDisjoint(with: Self.sharing)
        if !names.isDisjoint(with: ["proxy-revalidate", "s-maxage"]) { mustRevalidate = true }
        let lifetimes = directives.filter { $0.name == "s-maxage" }
        maxAge = lifetimes.map { $0.seconds ?? 0 }.min() ?? maxAge
    }

    private mutating func add(_ directive: Directive) {
        let seconds = directive.seconds
        switch directive.name {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "only-if-cached": isOnlyIfCached = true
        // If repeated with different values, the strictest one applies (RFC 9111, 4.2.1).
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
        /// Without quotes; nil if the directive is malformed.
        let value: Substring?

        /// The value as a number of seconds; nil for an invalid one.
        var seconds: Int? { value.flatMap { HTTPSyntax.seconds($0) } }

        init(_ text: Substring) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let written = parts[0]
            name = written.trimmed.lowercased()
            hasValue = parts.count > 1
            // A space before the equals sign is malformed and must not extend a lifetime.
            guard hasValue, written.last != " ", written.last != "\t" else {
                value = nil
                return
            }
            let quoted = parts[1].count > 1 && parts[1].first == "\"" && parts[1].last == "\""
            value = quoted ? parts[1].dropFirst().dropLast() : parts[1]
        }
    }

    /// The directives, separated by commas outside quotes.
    ///
    /// An unclosed quote is an ordinary character, so that it does not hide directives.
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
