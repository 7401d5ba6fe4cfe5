public import Foundation

/// The certificates of a server and their validation result; the counterpart of `SecTrust`.
///
/// To pin a server, compare the keys of its chain with hashes stored in the program:
///
/// ```swift
/// func downloader(
///     _ downloader: ImageDownloader,
///     didReceive challenge: URLAuthenticationChallenge
/// ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
///     guard let trust = challenge.protectionSpace.serverTrust else {
///         return (.performDefaultHandling, nil)
///     }
///     return trust.isTrusted(withPublicKeyIn: pins)
///         ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
/// }
/// ```
public struct ServerTrust: Sendable, Hashable {
    /// The host of the request.
    public let host: String

    /// The port of the request; 443 if the URL has none.
    public let port: Int

    /// The server's certificate first, followed by its issuers as far as they are known.
    ///
    /// Only if ``fault`` is nil is each certificate really issued by the next one. Otherwise the
    /// server has only proven that it has the private key of the first one.
    public let certificates: [ServerCertificate]

    /// Why the transport would refuse the server; nil if it would accept it.
    public let fault: TLSFault?

    /// Makes a value, for tests of responders.
    ///
    /// - Parameters:
    ///   - host: The host of the request.
    ///   - port: The port of the request.
    ///   - certificates: The server's certificate first, followed by its issuers.
    ///   - fault: Why the transport would refuse the server, if it would.
    public init(host: String, port: Int, certificates: [ServerCertificate], fault: TLSFault?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.fault = fault
    }

    /// Whether the certificate chain is trusted and valid for the host.
    public var isTrusted: Bool { fault == nil }

    /// Whether the server is trusted and a certificate of its chain has one of the given keys.
    ///
    /// - Parameter hashes: Hashes of keys of the server, an intermediate authority or a root; see
    ///   ``ServerCertificate/publicKeyHash``.
    /// - Returns: False for an untrusted server, whatever its chain contains.
    public func isTrusted(withPublicKeyIn hashes: Set<Data>) -> Bool {
        isTrusted && certificates.contains { hashes.contains($0.publicKeyHash) }
    }
}

/// A certificate of a server or an authority.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate (X.509) in DER.
    public let der: Data

    /// The public key with its algorithm: the `SubjectPublicKeyInfo` in DER.
    public let publicKeyInfo: Data

    /// Makes a value, for tests of responders.
    ///
    /// - Parameters:
    ///   - der: The certificate (X.509) in DER.
    ///   - publicKeyInfo: The `SubjectPublicKeyInfo` in DER.
    public init(der: Data, publicKeyInfo: Data) {
        self.der = der
        self.publicKeyInfo = publicKeyInfo
    }

    /// The SHA-256 of ``publicKeyInfo``, 32 bytes; the usual pin, often written in Base64.
    ///
    /// To compute it from a file:
    ///
    /// ```sh
    /// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
    ///     | openssl dgst -sha256 -binary | base64
    /// ```
    public var publicKeyHash: Data {
        publicKeyInfo.withUnsafeBytes { bytes in
            SHA256.hash(bytes).withUnsafeBytes { Data($0) }
        }
    }
}

/// A decision about a server's certificates.
public enum ServerTrustDecision: Sendable {
    /// Accept the server if it is trusted, as without a responder.
    case performDefaultHandling
    /// Accept the server even if it is not trusted.
    case accept
    /// Refuse the server; the transfer ends with ``TransferError/tls(_:reason:url:)``.
    case refuse
}

/// A certificate for servers that require one from the client.
public struct ClientCertificate: Sendable, Hashable {
    /// The certificate in PEM, followed by its intermediate certificates if the server needs them.
    public var certificate: Data

    /// The certificate's private key in PEM.
    public var privateKey: Data

    /// The password of the private key; nil if it is not encrypted.
    public var password: String?

    /// Makes a client certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate in PEM, followed by its intermediate certificates if
    ///     needed.
    ///   - privateKey: The certificate's private key in PEM.
    ///   - password: The password of the private key; nil if it is not encrypted.
    public init(certificate: Data, privateKey: Data, password: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.password = password
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the key.
    public var description: String { "ClientCertificate" }

    /// Empty, so that the key does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

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
    /// How many credentials were refused in this transfer; after 20 the 401 is the response.
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
