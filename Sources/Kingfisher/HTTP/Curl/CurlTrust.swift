import CCurl
import CCurlShim
import Foundation

/// One check of a server's certificates; see `kf_trust.h`.
final class CurlTrustCheck {
    private let trust: OpaquePointer

    /// Makes a check; nil without memory.
    ///
    /// - Parameters:
    ///   - host: The name or address that the certificate must be for.
    ///   - approval: What was decided before; without it the server is refused, to be asked about.
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

    /// Lets the check decide about a handle's handshakes.
    func install(in handle: UnsafeMutableRawPointer) -> CURLcode {
        kf_curl_set_trust(handle, trust)
    }

    /// What the server has shown; empty if there was no handshake.
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

    /// What is wrong with the chain or its host.
    var fault: TLSFault? {
        let error = Int(kf_trust_error(trust))
        guard error == 0 else { return TLSFault(verification: error) }
        return kf_trust_is_for_host(trust) != 0 ? nil : .certificateUntrusted
    }
}

/// What was decided about servers, so that not every connection is a question.
///
/// The loop's thread alone uses it.
final class CurlApprovals {
    /// Whose decision about whom.
    struct Key: Hashable {
        /// ``TransferSettings/trustOwner``.
        let owner: UInt64
        let origin: String
    }

    /// A certificate that a server may show.
    struct Approval {
        /// In DER.
        let leaf: Data
        /// The leaf's key, in libcurl's words.
        let pin: String
        /// Whether it may do so though nobody vouches for it.
        let acceptsUntrusted: Bool

        init?(_ trust: ServerTrust, acceptsUntrusted: Bool) {
            guard let certificate = trust.certificates.first else { return nil }
            leaf = certificate.der
            pin = "sha256//" + certificate.publicKeyHash.base64EncodedString()
            self.acceptsUntrusted = acceptsUntrusted
        }
    }

    // A crawler meets more servers than it should remember; one that is forgotten is asked about.
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

/// Where an exchange stands with the trust of its server.
struct CurlTrustState {
    /// Of the current handle.
    var check: CurlTrustCheck?
    /// Where the decision is kept.
    var approvals: CurlApprovals?
    /// How often the handler was asked in this transfer.
    var questions = 0
}
