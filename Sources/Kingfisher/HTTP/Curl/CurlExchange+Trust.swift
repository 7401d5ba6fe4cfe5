import CCurl
import CCurlShim
import Foundation

// How the handler is asked about a server's certificates, although libcurl cannot wait for an answer
// in a handshake: a server about which nothing was decided is refused, before anything was sent.
// The handler is asked, and if it agrees the request is sent over a connection whose server shows
// that very certificate. Later connections of the same origin need no question.

extension CurlExchange {
    // Servers of one name that take turns with certificates may need a few.
    private static let maxTrustQuestions = 8

    /// Sets whose certificates count, which one the client has, and who is asked.
    ///
    /// - Throws: ``TransferError/tls(_:reason:url:)`` if this libcurl cannot do it.
    func setTrust(
        _ handle: UnsafeMutableRawPointer,
        _ environment: CurlEnvironment
    ) throws(TransferError) {
        guard hopOrigin.hasPrefix("https:") else { return }
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
            // The folder of the system's would count besides.
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
        // Without one OpenSSL would ask for it on the terminal.
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
            throw .curl(code: 27, message: "no memory for another transfer", url: url)
        }
        try self.check(check.install(in: handle), .handshake)
        // A session that is continued shows no certificates.
        kf_curl_setopt_long(handle, CURLOPT_SSL_SESSIONID_CACHE, 0)
        guard let approval else {
            // An open connection would be no question.
            kf_curl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
            return
        }
        // Besides, it keeps apart the connections about which different things were decided.
        try self.check(setText(handle, CURLOPT_PINNEDPUBLICKEY, approval.pin), .handshake)
        if approval.acceptsUntrusted { kf_curl_setopt_long(handle, CURLOPT_SSL_VERIFYHOST, 0) }
    }

    private func check(_ code: CURLcode, _ fault: TLSFault) throws(TransferError) {
        guard code != CURLE_OK else { return }
        let reason =
            "libcurl cannot use these settings: " + String(cString: curl_easy_strerror(code))
        throw .tls(fault, reason: reason, url: url)
    }

    private func setBlob(
        _ handle: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ data: Data
    ) -> CURLcode {
        data.withUnsafeBytes { kf_curl_setopt_blob(handle, option, $0.baseAddress, $0.count) }
    }

    /// Asks the handler about the server, if the hop has ended because nothing was decided.
    ///
    /// - Parameter code: libcurl's verdict on the hop, whose handle is gone.
    /// - Returns: Whether it was asked; it may have answered already.
    func askAboutServer(after code: CURLcode) -> Bool {
        defer { trust.check = nil }
        guard let check = trust.check, code != CURLE_OK, !transfer.isCancelled else { return false }
        let certificates = check.certificates
        guard !certificates.isEmpty, trust.questions < Self.maxTrustQuestions else { return false }
        // An approved certificate was shown: something else went wrong.
        guard certificates.first?.der != approval?.leaf else { return false }
        trust.questions += 1
        hopResult = code
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

    /// Goes the way that the handler chose about the server.
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
        hop = .discarding
    }

    /// What was decided about the hop's server.
    private var approval: CurlApprovals.Approval? {
        get { trustKey.flatMap { trust.approvals?[$0] } }
        set { if let trustKey { trust.approvals?[trustKey] = newValue } }
    }

    private var trustKey: CurlApprovals.Key? {
        settings.trustOwner.map { CurlApprovals.Key(owner: $0, origin: hopOrigin) }
    }
}
