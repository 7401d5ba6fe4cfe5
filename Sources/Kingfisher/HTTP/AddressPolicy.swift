import Foundation

/// The addresses that a transfer must not connect to.
///
/// The policy is applied to the address of the socket, after name resolution and before anything is
/// sent, for each connection and each redirect. A name whose address changes between check and use
/// (DNS rebinding) therefore cannot bypass it. A transfer with a restricting policy uses no proxy,
/// because only the proxy would know the final address.
public struct AddressPolicy: Sendable, Hashable {
    /// The kinds of addresses that are refused.
    public var refused: Set<AddressRange>

    /// Creates a policy that refuses `refused`.
    public init(refusing refused: Set<AddressRange>) {
        self.refused = refused
    }

    /// Allows all addresses; suitable for apps that load URLs of their own server.
    public static let unrestricted = AddressPolicy(refusing: [])

    /// Allows only public unicast addresses; suitable for servers that load URLs given by users.
    public static let publicOnly = AddressPolicy(refusing: Set(AddressRange.allCases))

    /// Whether all addresses are allowed.
    public var isUnrestricted: Bool { refused.isEmpty }
}

/// The special-purpose ranges of the address space.
///
/// Source: the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and its successors).
public enum AddressRange: String, Sendable, Hashable, CaseIterable {
    /// This machine: 127.0.0.0/8, `::1`.
    case loopback
    /// Local networks: 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7, fec0::/10.
    case privateUse
    /// The local link: 169.254/16, fe80::/10.
    case linkLocal
    /// Cloud metadata services outside the link-local range: 168.63.129.16, 100.100.100.200.
    case metadata
    /// Multicast: 224/4, ff00::/8, and the broadcast address.
    case multicast
    /// Unspecified, documentation, benchmarking and unassigned: 0/8, 240/4, 2001:db8::/32, …
    case reserved
}

extension AddressRange {
    /// The special range of an IPv4 address in host byte order; `nil` for a public one.
    static func of(ipv4 a: UInt32) -> AddressRange? {
        func within(_ network: UInt32, _ bits: UInt32) -> Bool {
            (a ^ network) >> (32 - bits) == 0
        }
        // Before the private ranges, because one of them contains 100.100.100.200.
        if a == 0xA83F_8110 || a == 0x6464_64C8 { return .metadata }
        if within(0x7F00_0000, 8) { return .loopback }
        if within(0x0A00_0000, 8) || within(0xAC10_0000, 12) || within(0xC0A8_0000, 16)
            || within(0x6440_0000, 10)
        {
            return .privateUse
        }
        if within(0xA9FE_0000, 16) { return .linkLocal }
        if within(0xE000_0000, 4) || a == 0xFFFF_FFFF { return .multicast }
        if within(0x0000_0000, 8) || within(0xC000_0000, 24) || within(0xC000_0200, 24)
            || within(0xC058_6300, 24) || within(0xC612_0000, 15) || within(0xC633_6400, 24)
            || within(0xCB00_7100, 24) || within(0xF000_0000, 4)
        {
            return .reserved
        }
        return nil
    }

    /// The special range of an IPv6 address in network order; `nil` for a public one.
    ///
    /// An address that embeds an IPv4 address (mapped, compatible, NAT64, 6to4, ISATAP) is classified
    /// by it.
    static func of(ipv6 bytes: [UInt8]) -> AddressRange? {
        func starts(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
        func ipv4(at offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard bytes.count == 16 else { return .reserved }
        let zeros = [UInt8](repeating: 0, count: 10)
        if starts(zeros + [0xFF, 0xFF]) { return of(ipv4: ipv4(at: 12)) }
        if starts(zeros + [0, 0]) {
            let low = ipv4(at: 12)
            return low == 1 ? .loopback : low == 0 ? .reserved : of(ipv4: low) ?? .reserved
        }
        if starts([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return of(ipv4: ipv4(at: 12))
        }
        if bytes[0] & 0xFE == 0xFC { return .privateUse }
        if starts([0xFE]), bytes[1] & 0xC0 == 0x80 { return .linkLocal }
        if starts([0xFE]), bytes[1] & 0xC0 == 0xC0 { return .privateUse }
        if bytes[0] == 0xFF { return .multicast }
        // Only 2000::/3 is assigned for public unicast.
        guard bytes[0] & 0xE0 == 0x20 else { return .reserved }
        if starts([0x20, 0x02]) { return of(ipv4: ipv4(at: 2)) }
        // 2001::/23 contains Teredo, ORCHID and other ranges that embed or hide another address.
        if starts([0x20, 0x01]), bytes[2] & 0xFE == 0 { return .reserved }
        if starts([0x20, 0x01, 0x0D, 0xB8]) { return .reserved }
        if starts([0x3F, 0xFF]), bytes[2] & 0xF0 == 0 { return .reserved }
        // ISATAP (RFC 5214, 6.1): routers of the prefix send the packet to the IPv4 address.
        let isISATAP = bytes[8] & 0xFD == 0 && bytes[9...].starts(with: [0x00, 0x5E, 0xFE])
        return isISATAP ? of(ipv4: ipv4(at: 12)) : nil
    }
}

/// An IP address as bytes, with its text form.
struct NumericAddress {
    let bytes: [UInt8]

    /// Makes an address from four or sixteen bytes in network order; `nil` for any other count.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses a numeric address; a zone (`%eth0`) is ignored.
    init?(text: String) {
        let plain = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, plain, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    /// The special range of the address; `nil` for a public one.
    var range: AddressRange? {
        guard bytes.count == 4 else { return .of(ipv6: bytes) }
        return .of(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Dotted decimal for IPv4; compressed groups for IPv6.
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "?" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }
}
