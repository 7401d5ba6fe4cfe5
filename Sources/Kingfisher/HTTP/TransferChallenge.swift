/// A server's question for name and password (status 401).
public struct TransferChallenge: Sendable {
    /// The ways to prove who one is that the transport can take.
    public enum Scheme: String, Sendable {
        /// RFC 7617: the password in clear text, so only over TLS.
        case basic = "Basic"
        /// RFC 7616: a digest of password and nonce.
        case digest = "Digest"
    }

    /// The host that asks.
    public let host: String
    /// Its port, 80 or 443 when the URL names none.
    public let port: Int
    /// `http` or `https`.
    public let urlScheme: String
    /// The strongest scheme that the server offers.
    public let scheme: Scheme
    /// The server's name for what it protects.
    public let realm: String?
    /// How many credentials have been refused in this transfer.
    public let previousFailureCount: Int
    /// The 401.
    public let response: TransferResponse

    /// Creates a challenge; for transports.
    public init(
        host: String,
        port: Int,
        urlScheme: String,
        scheme: Scheme,
        realm: String?,
        previousFailureCount: Int,
        response: TransferResponse
    ) {
        self.host = host
        self.port = port
        self.urlScheme = urlScheme
        self.scheme = scheme
        self.realm = realm
        self.previousFailureCount = previousFailureCount
        self.response = response
    }
}

/// Name and password for a server that asked.
///
/// They go to the origin that asked and to no other.
public struct TransferCredential: Sendable, Hashable {
    /// The user's name.
    public let user: String
    /// The password in clear text.
    public let password: String

    /// Creates a credential.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
