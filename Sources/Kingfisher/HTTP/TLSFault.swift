import CCurl

/// Why a secure connection was refused.
public enum TLSFault: String, Sendable {
    /// The two sides found no common protocol or cipher, or the handshake broke off.
    case handshake
    /// The server's certificate has expired.
    case certificateExpired
    /// The server's certificate is not valid yet.
    case certificateNotYetValid
    /// The server's certificate is self-signed, or signed by an authority that is not known here.
    case unknownAuthority
    /// The server's certificate is for another host, revoked, or not acceptable otherwise.
    case certificateUntrusted
    /// The client's certificate cannot be used, or the server does not accept it.
    case clientCertificate
}

extension TLSFault {
    /// The fault that libcurl reports.
    ///
    /// - Parameters:
    ///   - code: The result of the transfer.
    ///   - verification: The result of OpenSSL's verification of the certificate, an `X509_V_ERR`
    ///     of `openssl-verification-options(1)`; 0 if it did not come to that or all was well.
    init(_ code: CURLcode, verification: Int) {
        switch code {
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: self = .clientCertificate
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE:
            self.init(verification: verification)
        default: self = .handshake
        }
    }

    /// The fault of a certificate that OpenSSL reports, as an `X509_V_ERR`.
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
