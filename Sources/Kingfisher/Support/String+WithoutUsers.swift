import Foundation

extension String {
    /// The text without the names and passwords of the URLs in it, which do not belong in messages.
    ///
    /// A cache key is a URL as a rule, so a text with a key needs this as much as one with a URL.
    var withoutUsers: String {
        var result = ""
        var rest = self[...]
        while let scheme = rest.range(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?#\"”“ \n".contains($0) }
            guard let end = authority.lastIndex(of: "@") else { continue }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
