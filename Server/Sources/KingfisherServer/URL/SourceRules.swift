import Foundation

/// Reads the text of a source, and refuses sources that the configuration does not allow.
///
/// A source is normalised before it is compared with the allowed prefixes, and parts of URLs that
/// programs read differently (user names, backslashes, dot segments, encoded hosts) are refused.
/// So the address that is compared is the address that is fetched.
struct SourceRules: Sendable, Hashable {
    /// `BASE_URL`: stands before each source that does not start with it; empty for none.
    var base = ""
    /// `URL_REPLACEMENTS`; the first one that matches is applied, after the base.
    var replacements: [SourceReplacement] = []
    /// `ALLOWED_SOURCES`; empty for all.
    var allowed: [SourcePattern] = []
    /// Whether there are sources `local:///path`.
    var allowsLocalFiles = false
    /// The stores with sources such as `s3://bucket/key`.
    var stores: Set<ObjectStore> = []

    /// All sources of web servers.
    init() {}

    /// The ports that need not be written.
    static let defaultPort = ["http": "80", "https": "443"]

    private static let maximalLength = 8 << 10

    /// The source that a text names, after its percent-encoding or Base64 has been decoded.
    ///
    /// - Throws: ``ServiceError`` with the status 404.
    func reference(_ text: String) throws(ServiceError) -> ImageReference {
        let whole = withBase(text)
        let full = replacements.lazy.compactMap { $0.applied(to: whole) }.first ?? whole
        guard !full.isEmpty else { throw .refused("the URL has no source") }
        guard full.utf8.count <= Self.maximalLength else {
            throw .refused("the source is longer than \(Self.maximalLength) bytes")
        }
        guard !full.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw .refused("the source contains control characters")
        }
        guard let (scheme, rest) = Self.parts(of: full) else {
            throw .refused("the source \(ServiceError.quoted(full)) has no scheme such as https://")
        }
        let reference: ImageReference
        switch scheme {
        case "http", "https": reference = try web(scheme, rest)
        case "local" where allowsLocalFiles: reference = try local(rest)
        case "local": throw .refused("sources with local:// are not configured")
        default:
            guard let store = ObjectStore(rawValue: scheme) else {
                throw .refused("sources with \(ServiceError.quoted(scheme)) are not supported")
            }
            guard stores.contains(store) else {
                throw .refused("sources with \(scheme):// are not configured")
            }
            reference = try object(of: store, rest)
        }
        let normalised = reference.description
        guard allowed.isEmpty || allowed.contains(where: { $0.matches(normalised) }) else {
            throw .refused("the source is not allowed")
        }
        return reference
    }

    /// The text with the base in front, unless it starts with it.
    ///
    /// The base's host is always followed by a slash, so that a source cannot continue it.
    private func withBase(_ text: String) -> String {
        guard !base.isEmpty else { return text }
        var prefix = base
        if let (scheme, rest) = Self.parts(of: base), scheme == "local" || !rest.isEmpty,
            !rest.utf8.contains(UInt8(ascii: "/"))
        {
            prefix += "/"
        }
        if text.utf8.starts(with: prefix.utf8) { return text }
        let doublesSlash = prefix != base && text.utf8.first == UInt8(ascii: "/")
        return prefix
            + (doublesSlash ? String(decoding: text.utf8.dropFirst(), as: UTF8.self) : text)
    }

    /// The scheme in lower case and the text after `://`, or nil if there is none.
    static func parts(of text: String) -> (scheme: String, rest: Substring)? {
        let scheme = text.utf8.prefix { byte in
            isHostByte(byte) || byte == UInt8(ascii: "+")
        }
        let separator = "://".utf8
        guard !scheme.isEmpty, text.utf8[scheme.endIndex...].starts(with: separator) else {
            return nil
        }
        let rest = text.utf8[scheme.endIndex...].dropFirst(separator.count)
        return (String(decoding: scheme, as: UTF8.self).lowercased(), Substring(rest))
    }

    private func web(_ scheme: String, _ rest: Substring) throws(ServiceError) -> ImageReference {
        guard !rest.utf8.contains(UInt8(ascii: "\\")) else {
            throw .refused("the source contains a backslash")
        }
        let withoutFragment = rest.utf8.prefix { $0 != UInt8(ascii: "#") }
        let authority = withoutFragment.prefix { !"/?".utf8.contains($0) }
        let path = withoutFragment[authority.endIndex...]
        let host = try Self.host(authority, scheme: scheme)
        try Self.refuseDotSegments(path.prefix { $0 != UInt8(ascii: "?") })
        let encoded = PercentEncoding.encoded(
            Substring(path),
            keeping: "/?!$&'()*+,;=:@",
            keepsTriples: true
        )
        let slash = path.first == UInt8(ascii: "/") ? "" : "/"
        let text = "\(scheme)://\(host)\(slash)\(encoded)"
        guard let url = URL(string: text), url.absoluteString == text else {
            throw .refused("the source is not a valid URL")
        }
        return .web(url)
    }

    /// The host in lower case with its port, if that is not the default one.
    private static func host(
        _ authority: Substring.UTF8View,
        scheme: String
    ) throws(ServiceError) -> String {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .refused("a source must not contain a user name")
        }
        var name = authority
        var port: Substring.UTF8View?
        if let colon = name.lastIndex(of: UInt8(ascii: ":")),
            !name[colon...].contains(UInt8(ascii: "]"))
        {
            port = name[colon...].dropFirst()
            name = name[..<colon]
        }
        let isAddress = name.first == UInt8(ascii: "[") && name.last == UInt8(ascii: "]")
        let inner = isAddress ? name.dropFirst().dropLast() : name
        let isValid = inner.allSatisfy { byte in
            isAddress
                ? Hexadecimal.value(of: byte) != nil || ":.".utf8.contains(byte)
                : isHostByte(byte)
        }
        guard isValid, !inner.isEmpty, inner.count <= 253 else {
            let reason = "write it in ASCII, without percent-encoding"
            throw .refused("the source has no valid host; \(reason)")
        }
        let host = String(decoding: name, as: UTF8.self).lowercased()
        guard let port, !port.isEmpty else { return host }
        let digits = String(decoding: port, as: UTF8.self)
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits),
            number > 0
        else { throw .refused("the source has an invalid port") }
        return defaultPort[scheme] == String(number) ? host : "\(host):\(number)"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Servers and clients resolve `..`, also in encoded forms: an allowed prefix would mean nothing.
    private static func refuseDotSegments(_ path: Substring.UTF8View) throws(ServiceError) {
        let decoded = leniently(decoding: path)
        let segments = decoded.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let dots: [[UInt8]] = [Array(".".utf8), Array("..".utf8)]
        // Some servers cut a parameter off a segment: `..;x`.
        let semicolon = UInt8(ascii: ";")
        guard !segments.contains(where: { dots.contains(Array($0.prefix { $0 != semicolon })) })
        else {
            throw .refused("the source contains the segment '.' or '..'")
        }
    }

    /// The bytes with valid triples `%xx` decoded and everything else as it is.
    private static func leniently(decoding text: Substring.UTF8View) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let triple = Array(rest.prefix(2))
            if byte == UInt8(ascii: "%"), triple.count == 2,
                let high = Hexadecimal.value(of: triple[0]),
                let low = Hexadecimal.value(of: triple[1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private func local(_ rest: Substring) throws(ServiceError) -> ImageReference {
        guard rest.utf8.first == UInt8(ascii: "/") else {
            throw .refused("write a local source as local:///path")
        }
        guard !rest.utf8.contains(UInt8(ascii: "\\")) else {
            throw .refused("the source contains a backslash")
        }
        try Self.refuseDotSegments(rest.utf8)
        let slash = UInt8(ascii: "/")
        let segments = rest.utf8.split(separator: slash).map { String(Substring($0)) }
        guard !segments.isEmpty, rest.utf8.last != slash else {
            throw .refused("the source names no file")
        }
        return .local(path: segments.joined(separator: "/"))
    }

    private func object(
        of store: ObjectStore,
        _ rest: Substring
    ) throws(ServiceError) -> ImageReference {
        let slash = UInt8(ascii: "/")
        let bucket = rest.utf8.prefix { $0 != slash }
        let key = rest.utf8[bucket.endIndex...].drop { $0 == slash }
        guard bucket.allSatisfy(Self.isHostByte), !bucket.isEmpty, bucket.count <= 255,
            bucket.first != UInt8(ascii: "."), !String(Substring(bucket)).contains("..")
        else { throw .refused("the source has no valid bucket") }
        guard !key.isEmpty, key.count <= 1024 else {
            throw .refused("the key of an object has 1…1024 bytes")
        }
        guard !key.contains(UInt8(ascii: "?")) else {
            throw .refused("versions of objects are not supported, nor keys with '?'")
        }
        try Self.refuseDotSegments(key)
        return .object(
            store,
            bucket: String(Substring(bucket)),
            key: String(Substring(key))
        )
    }
}
