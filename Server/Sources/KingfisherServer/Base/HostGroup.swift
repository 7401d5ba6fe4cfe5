#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hosts that usually belong to one owner, and so count as one where the sources of a host are
/// limited: otherwise a wildcard in the DNS would give one server any number of shares.
///
/// - Names: the last two labels, or three below the usual `co.uk`, `com.br` and so on. Below the
///   domains of large providers each host is a group. Without the list of public suffixes, customers
///   of other providers may count as one.
/// - IPv4 addresses in every notation: the first 24 bits; IPv6 addresses: the first 48.
///
/// An owner of many domains or networks still has a share for each of them.
enum HostGroup {
    /// Second labels below which countries register names.
    private static let registries: Set<Substring> = [
        "ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org",
    ]

    /// Domains whose owners give a name below them to each customer.
    private static let providers: Set<String> = [
        "akamaihd.net", "akamaized.net", "amazonaws.com", "azureedge.net", "azurefd.net",
        "b-cdn.net", "backblazeb2.com", "cdn77.org", "cloudfront.net", "digitaloceanspaces.com",
        "edgekey.net", "fastly.net", "firebaseapp.com", "fly.dev", "github.io", "googleapis.com",
        "herokuapp.com", "imgix.net", "kxcdn.com", "myshopify.com", "netlify.app", "onrender.com",
        "pages.dev", "r2.dev", "supabase.co", "vercel.app", "wasabisys.com", "web.app",
        "windows.net", "workers.dev",
    ]

    /// The group of a host.
    ///
    /// - Parameter host: A name, or an address with or without brackets.
    /// - Returns: Text in lower case; for an address not that of any name.
    static func name(of host: String) -> String {
        let host = host.lowercased()
        let labels = host.split(separator: ".")
        if let address = address(host) { return address }
        guard let top = labels.last, labels.count > 2 else { return labels.joined(separator: ".") }
        if providers.contains(labels.suffix(2).joined(separator: ".")) {
            return labels.joined(separator: ".")
        }
        let isCountry = top.utf8.count == 2 && registries.contains(labels[labels.count - 2])
        return labels.suffix(isCountry ? 3 : 2).joined(separator: ".")
    }

    /// The network of an address; nil for a name.
    private static func address(_ host: String) -> String? {
        var four = in_addr()
        // Also `127.1`, `0x7f000001` and `2130706433`, which resolvers read as addresses.
        if inet_aton(host, &four) != 0 { return network(withUnsafeBytes(of: four) { Array($0) }) }
        var six = in6_addr()
        let text = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        // An IPv4 address in IPv6: ::ffff:127.0.0.1.
        let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return network(isMapped ? Array(bytes.suffix(4)) : bytes)
    }

    private static func network(_ bytes: [UInt8]) -> String {
        bytes.prefix(bytes.count == 4 ? 3 : 6).map { "\($0)" }.joined(separator: ".") + "/"
    }
}
