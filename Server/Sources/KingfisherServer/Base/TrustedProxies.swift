#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The proxies whose `X-Forwarded-For` is believed, as networks.
///
/// Anybody can send the field, so that only the addresses that trusted proxies have added count: read
/// from the end, the first one that is not a trusted proxy is the client.
struct TrustedProxies: Sendable, Hashable {
    /// Addresses that agree in their first bits.
    private struct Network: Sendable, Hashable {
        let bytes: [UInt8]
        let bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            return (0..<bits).allSatisfy { bit in
                (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
            }
        }
    }

    /// The proxies as given.
    let texts: [String]
    private let networks: [Network]
    private let trustsSockets: Bool

    /// Trusts no proxy.
    init() { (texts, networks, trustsSockets) = ([], [], false) }

    /// Reads a list; nil if one of its parts is malformed.
    ///
    /// - Parameter texts: Addresses, networks such as `10.0.0.0/8`, or `unix` for clients of a Unix
    ///   socket.
    init?(_ texts: [String]) {
        let networks = texts.filter { $0 != "unix" }.map(Self.network)
        guard networks.allSatisfy({ $0 != nil }) else { return nil }
        self.texts = texts
        self.networks = networks.compactMap(\.self)
        trustsSockets = texts.contains("unix")
    }

    /// The address of a client.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection; nil for that of a Unix socket.
    ///   - forwarded: The values of the fields `X-Forwarded-For`, in order.
    /// - Returns: An address, without a port; nil if it is not known.
    func client(of peer: String?, _ forwarded: [String]) -> String? {
        guard peer.map({ isTrusted($0) }) ?? trustsSockets else { return peer }
        var client = peer
        // A field may be long, and what stands before the first stranger does not count.
        for part in forwarded.joined(separator: ",").split(separator: ",").reversed() {
            guard let address = Self.address(part.trimmed) else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return client
    }

    private func isTrusted(_ address: String) -> Bool {
        guard let bytes = Self.bytes(address) else { return false }
        return networks.contains { $0.contains(bytes) }
    }

    private static func network(_ text: String) -> Network? {
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = bytes(String(sides[0])) else { return nil }
        let most = bytes.count * 8
        guard sides.count == 2 else { return Network(bytes: bytes, bits: most) }
        guard let bits = Int(sides[1]), (0...most).contains(bits) else { return nil }
        return Network(bytes: bytes, bits: bits)
    }

    /// The address in a part of the field, which may have a port or brackets; nil for another text.
    private static func address(_ text: String) -> String? {
        if bytes(text) != nil { return text }
        let inner =
            text.hasPrefix("[")
            ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
        return bytes(String(inner)) == nil ? nil : String(inner)
    }

    /// The bytes of a numeric address; those of IPv4 if it is one in IPv6.
    private static func bytes(_ text: String) -> [UInt8]? {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
