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
