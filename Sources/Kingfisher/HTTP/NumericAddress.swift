import Foundation

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
