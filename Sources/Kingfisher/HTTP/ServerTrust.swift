public import Foundation

/// The certificates that a server shows, and what this machine makes of them: what stands in for
/// `SecTrust`.
///
/// A server is pinned by comparing the keys of its chain with hashes that the program brings:
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
    /// The host that was asked for.
    public let host: String

    /// Its port, 443 when the URL names none.
    public let port: Int

    /// The server's own certificate first, then those that vouch for it, as far as they are known.
    ///
    /// Only if ``fault`` is nil does each of them really vouch for the one before. Otherwise the
    /// server has proven that it owns the first one's key, and nothing else.
    public let certificates: [ServerCertificate]

    /// Why the transport would refuse the server; nil if it would not.
    public let fault: TLSFault?

    /// Makes a value, for tests of responders.
    public init(host: String, port: Int, certificates: [ServerCertificate], fault: TLSFault?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.fault = fault
    }

    /// Whether an authority vouches for the server, and its certificate is for the host.
    public var isTrusted: Bool { fault == nil }

    /// Whether the server is trusted, and a certificate of its chain has one of these keys.
    ///
    /// - Parameter hashes: Of the keys of the server, an intermediate authority or a root; see
    ///   ``ServerCertificate/publicKeyHash``.
    /// - Returns: False for a server that is not trusted, whatever its chain contains.
    public func isTrusted(withPublicKeyIn hashes: Set<Data>) -> Bool {
        isTrusted && certificates.contains { hashes.contains($0.publicKeyHash) }
    }
}

/// A certificate of a server or an authority.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate (X.509) in DER.
    public let der: Data

    /// Its public key with the key's algorithm: the `SubjectPublicKeyInfo` in DER.
    public let publicKeyInfo: Data

    /// Makes a value, for tests of responders.
    public init(der: Data, publicKeyInfo: Data) {
        self.der = der
        self.publicKeyInfo = publicKeyInfo
    }

    /// The SHA-256 of ``publicKeyInfo``, 32 bytes: what other libraries pin, usually in Base64.
    ///
    /// From a file:
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

/// What to do about a server that shows its certificates.
public enum ServerTrustDecision: Sendable {
    /// Go on if an authority vouches for the server, as without a question.
    case performDefaultHandling
    /// Go on, whether somebody vouches for the server or not.
    case accept
    /// End the transfer with ``TransferError/tls(_:reason:url:)``.
    case refuse
}
