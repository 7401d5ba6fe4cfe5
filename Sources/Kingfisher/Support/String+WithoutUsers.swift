import Foundation

extension String {
    /// The text without the user names and passwords of the URLs in it; they must not appear in
    /// messages.
    ///
    /// Cache keys are usually URLs, so texts with keys need this too.
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
