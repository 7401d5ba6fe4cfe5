import CKFCurl
import CKFCurlShim
import Foundation

/// One check of a server's certificates; see `kf_trust.h`.
final class CurlTrustCheck {
    private let trust: OpaquePointer

    /// Makes a check; nil if memory runs out.
    ///
    /// - Parameters:
    ///   - host: The name or address that the certificate must be valid for.
    ///   - approval: The decision made before; without one the server is refused so that the
    ///     handler can be asked.
    init?(host: String, approval: CurlApprovals.Approval?) {
        let leaf = approval.map { [UInt8]($0.leaf) }
        guard
            let trust = kf_trust_new(
                host,
                leaf,
                leaf?.count ?? 0,
                approval?.acceptsUntrusted == true ? 1 : 0
            )
        else { return nil }
        self.trust = trust
    }

    deinit { kf_trust_release(trust) }

    /// Uses the check for a handle's handshakes.
    func install(in handle: UnsafeMutableRawPointer) -> CURLcode {
        kf_curl_set_trust(handle, trust)
    }

    /// The certificates shown by the server; empty if there was no handshake.
    var certificates: [ServerCertificate] {
        (0..<kf_trust_count(trust)).map { index in
            var (length, keyLength) = (0, 0)
            let bytes = kf_trust_certificate(trust, index, &length)
            let key = kf_trust_public_key(trust, index, &keyLength)
            return ServerCertificate(
                der: Data(UnsafeBufferPointer(start: bytes, count: length)),
                publicKeyInfo: Data(UnsafeBufferPointer(start: key, count: keyLength))
            )
        }
    }

    /// The fault of the certificate chain or of its host name; nil if it is valid.
    var fault: TLSFault? {
        let error = Int(kf_trust_error(trust))
        guard error == 0 else { return TLSFault(verification: error) }
        return kf_trust_is_for_host(trust) != 0 ? nil : .certificateUntrusted
    }
}

/// The decisions about servers, so that not every connection requires a question.
///
/// Used only on the loop's thread.
final class CurlApprovals {
    /// An owner of decisions, and the origin they are about.
    struct Key: Hashable {
        /// ``TransferSettings/trustOwner``.
        let owner: UInt64
        let origin: String
    }

    /// A certificate that a server may show.
    struct Approval {
        /// The certificate in DER.
        let leaf: Data
        /// The pin of the certificate's key in libcurl's syntax.
        let pin: String
        /// Whether the certificate is accepted even if it is not trusted.
        let acceptsUntrusted: Bool

        init?(_ trust: ServerTrust, acceptsUntrusted: Bool) {
            guard let certificate = trust.certificates.first else { return nil }
            leaf = certificate.der
            pin = "sha256//" + certificate.publicKeyHash.base64EncodedString()
            self.acceptsUntrusted = acceptsUntrusted
        }
    }

    // Limited, because a crawler connects to very many servers; for a dropped one the handler is
    // asked again.
    private static let limit = 1024
    private var approvals: [Key: Approval] = [:]

    subscript(key: Key) -> Approval? {
        get { approvals[key] }
        set {
            if approvals.count >= Self.limit { approvals = [:] }
            approvals[key] = newValue
        }
    }
}

/// The state of trust in an exchange's server.
struct CurlTrustState {
    /// The check of the current handle.
    var check: CurlTrustCheck?
    /// The store of decisions.
    var approvals: CurlApprovals?
    /// How often the handler was asked in this transfer.
    var questions = 0
}
