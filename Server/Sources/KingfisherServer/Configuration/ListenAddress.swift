/// An address at which the service listens.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or address, and a port; 0 for any free port.
    case host(String, port: Int)
    /// The path of a Unix domain socket.
    case socket(path: String)

    /// Parses `host:port`, `:port` (all addresses), `[::1]:port` or `unix:path`; nil if malformed.
    public init?(_ text: String) {
        for scheme in ["unix:", "unix//"] where text.hasPrefix(scheme) && text != scheme {
            let path = text.dropFirst(scheme.count)
            // The kernel's structure has 108 bytes, one of them for the end.
            guard path.utf8.count < 108 else { return nil }
            self = .socket(path: String(path))
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        self = .host(host.isEmpty ? "0.0.0.0" : String(host), port: Int(port))
    }

    /// The address in the form that ``init(_:)`` accepts.
    public var description: String {
        switch self {
        case .host("0.0.0.0", let port): ":\(port)"
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .socket(let path): "unix:\(path)"
        }
    }
}

/// A field of a response's head.
public struct HeaderField: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Makes a field; the configuration checks both parts.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
