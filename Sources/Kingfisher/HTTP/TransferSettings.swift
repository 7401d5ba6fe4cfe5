public import Foundation

/// Limits, time-outs and trust settings of a transfer.
public struct TransferSettings: Sendable, Hashable {
    /// The limit for name resolution, connecting and the TLS handshake together.
    public var connectTimeout: Duration = .seconds(15)
    /// The maximum inactivity of the server after the request has a connection.
    ///
    /// A response head must be complete within this time after its first line.
    public var idleTimeout: Duration = .seconds(15)
    /// The minimum speed of a body in bytes per second, averaged over ``idleTimeout``; 0 for no
    /// limit.
    ///
    /// A slower body ends with ``TransferError/timedOut(_:limit:url:)``, so that a server cannot
    /// occupy connections forever by sending single bytes. 256 by default, which allows six
    /// transfers over a mobile connection throttled to 16 kbit/s. Bytes are counted before
    /// decoding; paused time is not counted.
    public var minimumSpeed = 256
    /// The limit for the whole transfer from `start`, including waiting for a connection; `nil` for
    /// none.
    public var totalTimeout: Duration?
    /// The maximum size of a body in bytes: stated, received, and after decoding.
    ///
    /// 256 MiB by default: larger than any common image, and a hostile stream ends.
    public var maxBodyBytes = 256 << 20
    /// The maximum number of bytes of a body in memory, 8 MiB by default.
    ///
    /// A larger body is written to an unnamed temporary file and mapped from there, so that memory
    /// use does not grow with the size of responses.
    public var maxBodyBytesInMemory = 8 << 20
    /// The maximum number of redirects.
    public var maxRedirects = 20
    /// Schemes, in lower case, that a redirect may lead to; only http and https are supported.
    public var redirectSchemes: Set<String> = ["http", "https"]
    /// Headers added to requests that lack them.
    ///
    /// Redirects get them too, subject to ``headersKeptAcrossOrigins``.
    public var extraHeaders: [String: String] = [:]
    /// Headers, in lower case, that are kept when a redirect leads to another origin.
    ///
    /// `Accept` and related headers, `User-Agent`, `Cache-Control`, `Range`, `If-Range` and headers
    /// that describe a body are always kept. Any other header may contain a secret and is removed
    /// unless listed here. `Host`, `Authorization`, `Proxy-Authorization` and `Cookie` are always
    /// removed.
    public var headersKeptAcrossOrigins: Set<String> = []
    /// The maximum number of simultaneous transfers to one origin; HTTP/2 counts as one connection.
    public var maxConnectionsPerHost = 6
    /// The priority in the queue, 0 (last) … 1 (first).
    public var priority = Self.defaultPriority
    /// The path of a Unix domain socket to connect to instead of the host, for example of a program
    /// on this machine; nil for none.
    ///
    /// The host of the URL is only named in the request. Redirects connect to the same socket. It
    /// has no address, so ``addressPolicy`` must allow all.
    public var unixSocketPath: String?
    /// Whether HTTP/3 is used for servers that offer it (`Alt-Svc`, RFC 7838); false by default.
    ///
    /// It has an effect only if libcurl supports HTTP/3, as Debian 13's does. A server that is not
    /// reached by HTTP/3 within three seconds is reached by HTTP/2 or HTTP/1.1, in the same load and for a while.
    public var allowsHTTP3 = false
    /// Addresses that must not be connected to, whatever host name resolves to them.
    public var addressPolicy = AddressPolicy.unrestricted
    /// Hosts, in lower case, whose TLS certificates are accepted without verification.
    public var trustedHosts: Set<String> = []
    /// Trusted authorities that replace the system's: concatenated certificates in PEM.
    ///
    /// Any certificate of a chain can be listed, including a self-signed one of a server. Nil uses
    /// those of the system and the environment; see ``CurlTransport``.
    public var certificateAuthorities: Data?
    /// Client certificates by host, in lower case.
    public var clientCertificates: [String: ClientCertificate] = [:]
    /// The owner of the decisions about servers' certificates; nil asks no handler.
    package var trustOwner: UInt64?
    /// Whether the transfer may use a metered network.
    ///
    /// A transport that detects a metered network ends other transfers with
    /// ``TransferError/rejected(reason:url:)`` and a ``ConstrainedNetworkError``.
    public var allowsConstrainedNetwork = true

    static let defaultPriority: Float = 0.5

    /// Creates the default settings.
    public init() {}
}

extension TransferSettings {
    /// The settings that can select another response; the others have their default values.
    ///
    /// A new setting counts unless it is named here. Extra headers count as headers of the request.
    var selecting: TransferSettings {
        let usual = Self.usual
        var settings = self
        settings.connectTimeout = usual.connectTimeout
        settings.idleTimeout = usual.idleTimeout
        settings.minimumSpeed = usual.minimumSpeed
        settings.totalTimeout = usual.totalTimeout
        settings.maxBodyBytesInMemory = usual.maxBodyBytesInMemory
        settings.extraHeaders = usual.extraHeaders
        settings.maxConnectionsPerHost = usual.maxConnectionsPerHost
        settings.priority = usual.priority
        settings.allowsHTTP3 = usual.allowsHTTP3
        return settings
    }

    private static let usual = TransferSettings()

    /// What identifies the server besides a URL, and what it knows of the client; empty by default.
    ///
    /// Bytes of an interrupted download are continued only with the same.
    var server: [String] {
        var parts = unixSocketPath.map { ["unix:" + $0] } ?? []
        if !trustedHosts.isEmpty {
            parts.append("trusted:" + trustedHosts.sorted().joined(separator: ","))
        }
        if trustOwner != nil { parts.append("trusted by the program") }
        if let certificateAuthorities {
            parts.append("authorities:" + Self.digest(certificateAuthorities))
        }
        for (host, certificate) in clientCertificates.sorted(by: { $0.key < $1.key }) {
            parts.append("client:\(host):" + Self.digest(certificate.certificate))
        }
        return parts
    }

    private static func digest(_ data: Data) -> String {
        let hash = SHA256()
        hash.update(data)
        return hash.finalize().withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}
