public import Foundation

/// Bounds, time-outs and trust of one transfer.
public struct TransferSettings: Sendable, Hashable {
    /// Limit for resolving, connecting and the TLS handshake together.
    public var connectTimeout: Duration = .seconds(15)
    /// Longest silence of the server, from the moment the request gets its connection.
    ///
    /// The head of an answer must be complete this long after its first line.
    public var idleTimeout: Duration = .seconds(15)
    /// Fewest bytes of a body in each second, on average over an ``idleTimeout``; 0 sets none.
    ///
    /// A body that comes more slowly ends with ``TransferError/timedOut(_:limit:url:)``, so that a
    /// server cannot occupy connections forever with a byte now and then. 256 by default: six
    /// transfers still pass through a mobile connection that is throttled to 16 kbit/s. Bytes on
    /// the wire are counted; time during which the transfer is paused is not.
    public var minimumSpeed = 256
    /// Limit for everything from `start` on, waiting for a connection included; `nil` sets none.
    public var totalTimeout: Duration?
    /// Largest body in bytes, checked against what is announced and against what arrives decoded.
    ///
    /// 256 MiB by default: the largest pictures in use stay below, and a hostile stream ends.
    public var maxBodyBytes = 256 << 20
    /// Bytes of a body that stay in memory, 8 MiB by default.
    ///
    /// A larger body goes to a temporary file without a name, and is read from there: what a load
    /// takes in memory does not grow with what a server sends.
    public var maxBodyBytesInMemory = 8 << 20
    /// Redirects that are followed.
    public var maxRedirects = 20
    /// Schemes, in lower case, that a redirect may lead to; http and https at most.
    public var redirectSchemes: Set<String> = ["http", "https"]
    /// Headers added to the request where it has none of that name, and to its redirects as far
    /// as those may have them: see ``headersKeptAcrossOrigins``.
    public var extraHeaders: [String: String] = [:]
    /// Headers, in lower case, that a redirect to another origin keeps besides the harmless ones.
    ///
    /// Harmless are `Accept` and its kin, `User-Agent`, `Cache-Control`, conditions, ranges, and
    /// what describes a body. Every other header can carry a secret and stays with its origin
    /// unless it is named here; `Host`, `Authorization`, `Proxy-Authorization` and `Cookie` stay
    /// in any case.
    public var headersKeptAcrossOrigins: Set<String> = []
    /// Transfers at the same time to one origin; HTTP/2 counts as one connection.
    public var maxConnectionsPerHost = 6
    /// Place in the queue, 0 (last) … 1 (first).
    public var priority: Float = 0.5
    /// Addresses that must not be connected to, whatever name leads there.
    public var addressPolicy = AddressPolicy.unrestricted
    /// Hosts, in lower case, whose TLS certificate is accepted unchecked.
    public var trustedHosts: Set<String> = []
    /// Authorities to trust instead of the system's: certificates in PEM, one after the other.
    ///
    /// Any certificate of a chain will do, a server's own that signs itself as well. Nil for those of
    /// the system and the environment; see ``CurlTransport``.
    public var certificateAuthorities: Data?
    /// The certificates that the client shows, by the host, in lower case, that may ask for them.
    public var clientCertificates: [String: ClientCertificate] = [:]
    /// Whose decisions about servers' certificates count; nil asks nobody.
    package var trustOwner: UInt64?
    /// Whether the transfer may use a network that is metered.
    ///
    /// A transport that finds the network metered ends a transfer that must not use it with
    /// ``TransferError/rejected(reason:url:)`` for a ``ConstrainedNetworkError``.
    public var allowsConstrainedNetwork = true

    /// Creates the default settings.
    public init() {}
}
