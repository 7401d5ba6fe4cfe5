import CKFCurl
import CKFCurlShim
import Foundation

// Asking the handler about a server's certificates. libcurl cannot wait for a decision during a
// handshake, so a server without a decision is refused before anything is sent. Then the handler is
// asked. If it accepts, the request is sent over a connection whose server shows exactly that
// certificate. Later connections to the same origin need no further question.

extension CurlExchange {
    // Servers that share a name but have different certificates may need a few questions.
    private static let maxTrustQuestions = 8

    /// Sets the trusted authorities, the client's certificate, and the handler of trust questions.
    ///
    /// - Throws: ``TransferError/tls(_:reason:url:)`` if this libcurl does not support the
    ///   settings.
    func setTrust(
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment
    ) throws(TransferError) {
        guard chain.origin.hasPrefix("https:") else { return }
        kf_curl_watch_connection(handle)
        try setAuthorities(handle, environment)
        let host = url.host?.lowercased() ?? ""
        if let certificate = settings.clientCertificates[host] {
            try show(certificate, handle)
        }
        if settings.trustOwner != nil {
            return try prepareQuestion(about: host, handle, environment)
        }
        if settings.trustedHosts.contains(host) {
            kf_curl_setopt_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
            kf_curl_setopt_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func setAuthorities(
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment
    ) throws(TransferError) {
        if let authorities = settings.certificateAuthorities {
            // Otherwise the system's folder would be trusted in addition.
            kf_curl_setopt_pointer(handle, CURLOPT_CAPATH, nil)
            return try check(setBlob(handle, CURLOPT_CAINFO_BLOB, authorities), .unknownAuthority)
        }
        if let file = environment.certificateFile {
            setText(handle, CURLOPT_CAINFO, file)
        }
        if let folder = environment.certificateFolder {
            setText(handle, CURLOPT_CAPATH, folder)
        }
    }

    private func show(
        _ certificate: ClientCertificate,
        _ handle: UnsafeMutableRawPointer
    ) throws(TransferError) {
        let fault = TLSFault.clientCertificate
        try check(setBlob(handle, CURLOPT_SSLCERT_BLOB, certificate.certificate), fault)
        try check(setBlob(handle, CURLOPT_SSLKEY_BLOB, certificate.privateKey), fault)
        // Without a password OpenSSL would ask for one on the terminal.
        try check(setText(handle, CURLOPT_KEYPASSWD, certificate.password ?? ""), fault)
    }

    private func prepareQuestion(
        about host: String,
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment
    ) throws(TransferError) {
        trust.approvals = environment.approvals
        trust.check = CurlTrustCheck(host: host, approval: approval)
        guard let check = trust.check else {
            throw .curl(code: 27, message: "out of memory", url: url)
        }
        try self.check(check.install(in: handle), .handshake)
        // A resumed session shows no certificates.
        kf_curl_setopt_long(handle, CURLOPT_SSL_SESSIONID_CACHE, 0)
        guard let approval else {
            // A reused connection would not ask about the server.
            kf_curl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
            return
        }
        // The pin also separates connections with different decisions.
        try self.check(setText(handle, CURLOPT_PINNEDPUBLICKEY, approval.pin), .handshake)
        if approval.acceptsUntrusted { kf_curl_setopt_long(handle, CURLOPT_SSL_VERIFYHOST, 0) }
    }

    private func check(_ code: CURLcode, _ fault: TLSFault) throws(TransferError) {
        guard code != CURLE_OK else { return }
        let reason =
            "libcurl cannot apply the TLS settings: " + String(cString: curl_easy_strerror(code))
        throw .tls(fault, reason: reason, url: url)
    }

    private func setBlob(
        _ handle: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ data: Data
    ) -> CURLcode {
        data.withUnsafeBytes { kf_curl_setopt_blob(handle, option, $0.baseAddress, $0.count) }
    }

    /// Asks the handler about the server if the hop ended because there was no decision.
    ///
    /// - Parameter code: libcurl's result of the hop, whose handle is already released.
    /// - Returns: Whether the handler was asked; it may have replied already.
    func askAboutServer(after code: CURLcode) -> Bool {
        defer { trust.check = nil }
        guard let check = trust.check, code != CURLE_OK, !transfer.isCancelled else { return false }
        let certificates = check.certificates
        guard !certificates.isEmpty, trust.questions < Self.maxTrustQuestions else { return false }
        // The approved certificate was shown, so the hop failed for another reason.
        guard certificates.first?.der != approval?.leaf else { return false }
        trust.questions += 1
        hop.result = code
        ask(
            .trust(
                ServerTrust(
                    host: url.host ?? "",
                    port: url.effectivePort,
                    certificates: certificates,
                    fault: check.fault
                )
            )
        )
        return true
    }

    /// Applies the handler's decision about the server.
    func decide(_ decision: ServerTrustDecision, about trust: ServerTrust) {
        var acceptsUntrusted = false
        switch decision {
        case .refuse:
            let reason = "the server's certificate was refused by the program"
            return fail(.tls(.certificateUntrusted, reason: reason, url: url))
        case .accept:
            acceptsUntrusted = true
        case .performDefaultHandling:
            acceptsUntrusted = settings.trustedHosts.contains(trust.host.lowercased())
            if let fault = trust.fault, !acceptsUntrusted {
                let reason = "the server's certificate is not valid (\(fault.rawValue))"
                return fail(.tls(fault, reason: reason, url: url))
            }
        }
        approval = .init(trust, acceptsUntrusted: acceptsUntrusted)
        hop.phase = .discarding
    }

    /// The decision about the hop's server.
    private var approval: CurlApprovals.Approval? {
        get { trustKey.flatMap { trust.approvals?[$0] } }
        set { if let trustKey { trust.approvals?[trustKey] = newValue } }
    }

    private var trustKey: CurlApprovals.Key? {
        settings.trustOwner.map { CurlApprovals.Key(owner: $0, origin: chain.origin) }
    }
}
