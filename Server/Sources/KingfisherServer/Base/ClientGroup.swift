#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The addresses that count as one client.
enum ClientGroup {
    /// The group of an address: itself, or for IPv6 its first 64 bits, which one subscriber has.
    static func name(of address: String) -> String {
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return address }
        return withUnsafeBytes(of: six) { Hexadecimal.text(of: Array($0.prefix(8))) }
    }
}
