import Kingfisher

extension ProcessingOptions {
    /// The options that affect the bytes of a result, in a fixed order and notation.
    ///
    /// Options with the same effect have the same text; it is empty if there are none.
    var canonicalKey: String {
        segments { $0.scope != .delivery }.joined(separator: "/")
    }

    /// The segments of a URL that name these options.
    ///
    /// - Parameters:
    ///   - separator: The separator of arguments.
    ///   - isIncluded: Which options to write.
    /// - Returns: One segment for each option that has an effect.
    fileprivate func segments(
        separator: String = ":",
        where isIncluded: (URLOption) -> Bool
    ) -> [String] {
        URLOption.all.compactMap { option in
            guard isIncluded(option), let arguments = option.write(self) else { return nil }
            let texts = arguments.map { PercentEncoding.encoded($0) }
            return ([option.name] + texts).joined(separator: separator)
        }
    }
}

extension ImageRequest {
    /// A text that is equal for requests with the same result, for the keys of caches.
    var canonicalKey: String {
        let source = source.canonicalText(by: keyRule)
        return "\(kind == .info ? "info/" : "")\(options.canonicalKey)/plain/\(source)"
    }

    /// The path of a URL for this request, signed if there are keys.
    func path(for settings: GrammarSettings) -> String {
        let options = options.segments(separator: settings.argumentsSeparator) { _ in true }
        let start: [String] =
            switch kind {
            case .image: []
            case .info: ["info"]
            case .widths(let widths, _): ["srcset", widths.map(String.init).joined(separator: ",")]
            }
        // The source in Base64: proxies change plain URLs, for example by merging slashes.
        let source = Base64URL.encoded(source.description.utf8)
        return Self.path(of: start + options + [source], for: settings)
    }

    /// The path of the image of a list of widths in one of them.
    ///
    /// With the options of the list's own URL: an option without effect is not the same as none, since
    /// the preset `default` or the hints of clients may set it. A base and replacements change its
    /// source once.
    static func path(_ parts: Parts, width: Int, for settings: GrammarSettings) -> String {
        let width = "width\(settings.argumentsSeparator)\(width)"
        return path(of: parts.options + [width, parts.source], for: settings)
    }

    private static func path(of segments: [String], for settings: GrammarSettings) -> String {
        let rest = "/" + segments.joined(separator: "/")
        let prefix = settings.pathPrefix.split(separator: "/").map { "/\($0)" }.joined()
        return "\(prefix)/\(settings.signature.signature(of: rest))\(rest)"
    }
}

extension ImageReference {
    /// The source in ASCII: different sources have different texts, also as Swift compares strings.
    ///
    /// The keys of all caches are made from it.
    ///
    /// - Parameter rule: The parts of a web address that do not identify the source; nil for none.
    /// - Returns: The text.
    func canonicalText(by rule: CacheKeyRule?) -> String {
        switch self {
        case .web(let url): rule?.key(for: url) ?? description
        case .local, .object: PercentEncoding.encoded(description, keeping: "/:")
        }
    }
}
