/// Undoes what proxies do to the paths of URLs, because a signature is that of the original path.
///
/// Two changes are known: a proxy merges slashes, so that `plain/http://host` becomes
/// `plain/http:/host`, or it encodes all colons as `%3A`. Only a path that is exactly the result of
/// such a change is undone. So a signature is valid for the path that was signed and for what
/// proxies make of it, which mean the same, but not for mixtures, of which there would be any number.
enum NormalisedPath {
    /// The paths from which a proxy may have made a path, and the path itself as the last one.
    static func originals(of path: Substring) -> [Substring] {
        let unencoded = withColons(path) + [path]
        return unencoded.compactMap { withSlashes($0, ifWithout: path) } + unencoded
    }

    /// The path with its colons, if all of them are encoded.
    private static func withColons(_ path: Substring) -> [Substring] {
        let encoded = Array("%3A".utf8)
        guard !path.utf8.contains(UInt8(ascii: ":")), path.utf8.contains(encoded) else { return [] }
        let all = decoded(path.utf8)
        // The client may have encoded those of the source, and the proxy only those of the options.
        guard let plain = path.utf8.firstRange(of: Array("/plain/".utf8)) else { return [all] }
        let options = decoded(path.utf8[..<plain.lowerBound])
        return [all, options + Substring(path.utf8[plain.lowerBound...])]
    }

    private static func decoded(_ text: Substring.UTF8View) -> Substring {
        let bytes = Array(text).replacing(Array("%3A".utf8), with: [UInt8(ascii: ":")])
        return Substring(String(decoding: bytes, as: UTF8.self))
    }

    /// The path with the slashes after the scheme of a plain source; nil if they are there, or if
    /// the proxy cannot have merged slashes because it has left others.
    private static func withSlashes(_ path: Substring, ifWithout arrived: Substring) -> Substring? {
        guard !arrived.utf8.contains(Array("//".utf8)),
            let plain = path.utf8.firstRange(of: Array("/plain/".utf8))
        else { return nil }
        let stores = ObjectStore.allCases.map { ($0.rawValue, 2) }
        for (scheme, slashes) in [("http", 2), ("https", 2), ("local", 3)] + stores {
            let start = Array("\(scheme):/".utf8)
            let source = path.utf8[plain.upperBound...]
            guard source.starts(with: start) else { continue }
            let added = String(repeating: "/", count: slashes - 1)
            let end = source.index(source.startIndex, offsetBy: start.count)
            return path[..<end] + added + path[end...]
        }
        return nil
    }
}
