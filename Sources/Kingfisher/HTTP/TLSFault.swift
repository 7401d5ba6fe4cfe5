import CCurl

/// The reason why a secure connection failed.
public enum TLSFault: String, Sendable {
    /// There was no common protocol or cipher, or the handshake was interrupted.
    case handshake
    /// The server's certificate has expired.
    case certificateExpired
    /// The server's certificate is not valid yet.
    case certificateNotYetValid
    /// The server's certificate is self-signed, or signed by an unknown authority.
    case unknownAuthority
    /// The server's certificate is for another host, revoked, or unacceptable for another reason.
    case certificateUntrusted
    /// The client's certificate is unusable, or the server does not accept it.
    case clientCertificate
}

extension TLSFault {
    /// Maps an error of libcurl.
    ///
    /// - Parameters:
    ///   - code: The result of the transfer.
    ///   - verification: OpenSSL's verification result of the certificate, an `X509_V_ERR` of
    ///     `openssl-verification-options(1)`; 0 if it was valid or not verified.
    init(_ code: CURLcode, verification: Int) {
        switch code {
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: self = .clientCertificate
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE:
            self.init(verification: verification)
        default: self = .handshake
        }
    }

    /// Maps a verification error of OpenSSL, an `X509_V_ERR`.
    init(verification: Int) {
        self =
            switch verification {
            case 9: .certificateNotYetValid
            case 10: .certificateExpired
            case 2, 18, 19, 20, 21: .unknownAuthority
            default: .certificateUntrusted
            }
    }
}
