/// A server's request for a user name and password (status 401).
public struct TransferChallenge: Sendable {
    /// The authentication schemes that the transport supports.
    public enum Scheme: String, Sendable {
        /// RFC 7617: the password in clear text, so use it only over TLS.
        case basic = "Basic"
        /// RFC 7616: a digest of password and nonce.
        case digest = "Digest"
    }

    /// The host that sent the challenge.
    public let host: String
    /// The port; 80 or 443 if the URL has none.
    public let port: Int
    /// `http` or `https`.
    public let urlScheme: String
    /// The strongest supported scheme that the server offers.
    public let scheme: Scheme
    /// The server's name for the protected resources.
    public let realm: String?
    /// How many credentials were refused in this transfer.
    public let previousFailureCount: Int
    /// The 401 response.
    public let response: TransferResponse

    /// Creates a challenge; for transports.
    ///
    /// - Parameters:
    ///   - host: The host that sent the challenge.
    ///   - port: The port.
    ///   - urlScheme: `http` or `https`.
    ///   - scheme: The strongest supported scheme that the server offers.
    ///   - realm: The server's name for the protected resources.
    ///   - previousFailureCount: How many credentials were refused in this transfer.
    ///   - response: The 401 response.
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

/// A user name and password for a server.
///
/// They are sent only to the origin of the challenge.
public struct TransferCredential: Sendable, Hashable {
    /// The user name.
    public let user: String
    /// The password in clear text.
    public let password: String

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password in clear text.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
