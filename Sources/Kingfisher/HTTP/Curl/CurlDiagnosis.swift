import CKFCurl
import CKFCurlShim
import Foundation
import SystemPackage

/// The details of a failed hop, from which its error is made.
struct CurlDiagnosis: ~Copyable {
    /// libcurl's text; made with the first handle, because thousands of transfers may wait.
    private var text: UnsafeMutablePointer<CChar>?
    /// OpenSSL's verification error for the server's certificate, an `X509_V_ERR`; 0 for none.
    private var certificateError = 0
    /// The status of a proxy's last response to `CONNECT`; 0 for none.
    private var proxyStatus = 0
    /// The `errno` of the hop's last failed system call; 0 for none.
    private var systemError: Int32 = 0
    private var refusedAddress: (text: String, range: AddressRange)?

    /// `CURLE_TOO_LARGE` of libcurl 8.6, which older headers lack.
    private static let tooLarge = CURLcode(rawValue: 100)

    deinit { text?.deallocate() }

    /// Makes a handle write its error text here.
    mutating func observe(_ handle: UnsafeMutableRawPointer) {
        let text = text ?? .allocate(capacity: Int(CURL_ERROR_SIZE))
        text.initialize(to: 0)
        self.text = text
        kf_curl_setopt_pointer(handle, CURLOPT_ERRORBUFFER, text)
    }

    /// Records the results of a handle.
    mutating func read(proxyStatus: Int, certificateError: Int, systemError: Int) {
        self.proxyStatus = proxyStatus
        self.certificateError = certificateError
        self.systemError = Int32(truncatingIfNeeded: systemError)
    }

    /// Whether a proxy has refused the connection.
    var isProxyRefusal: Bool { proxyStatus >= 300 }

    /// Whether frames of HTTP/2 that carry nothing made libcurl end the connection.
    var isFlood: Bool {
        // libcurl reports the result of nghttp2 only in its text.
        let text = text.map { String(cString: $0) } ?? ""
        return text.contains("Flooding was detected") || text.contains("Too many CONTINUATION")
    }

    /// Whether the server does not answer the request by HTTP/2 (HTTP_1_1_REQUIRED).
    var requiresHTTP1: Bool {
        // libcurl reports the code of the stream only in its text.
        text.map { String(cString: $0).contains("HTTP_1_1_REQUIRED") } ?? false
    }

    /// Records an address to which no connection is made; nil if it cannot be read.
    mutating func refuse(_ address: NumericAddress?, in range: AddressRange) {
        refusedAddress = (address?.text ?? "an unknown kind of address", range)
    }

    /// Why no connection was made, without the name of the host again.
    ///
    /// libcurl's text names the host and port that refused, which can be a proxy's.
    private func refusal(_ text: String, of url: URL, by host: String) -> String {
        guard systemError != 0, let peer = Self.peer(in: text) else { return text }
        let reason = Errno(rawValue: systemError)
        let isServer = peer.host == host && peer.port == "\(url.effectivePort)"
        return isServer
            ? "\(reason) (port \(peer.port))" : "\(reason) (proxy \(peer.host):\(peer.port))"
    }

    /// The host and port in `Failed to connect to HOST port PORT after …`.
    private static func peer(in text: String) -> (host: Substring, port: Substring)? {
        let words = text.split(separator: " ")
        guard let place = words.firstIndex(of: "port"), place > 0, place + 1 < words.count else {
            return nil
        }
        return (words[place - 1], words[place + 1].prefix { $0.isNumber })
    }

    /// Maps libcurl's result of the hop to an error; `nil` on success.
    func error(for code: CURLcode, of exchange: CurlExchange) -> TransferError? {
        guard code != CURLE_OK else { return nil }
        let url = exchange.url
        if let refused = refusedAddress {
            return .addressRefused(address: refused.text, range: refused.range, url: url)
        }
        let detail = text.map { String(cString: $0) } ?? ""
        let reason = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let host = url.host ?? ""
        switch code {
        case CURLE_BAD_CONTENT_ENCODING where exchange.hop.head.isOpen:
            // libcurl 8 rejects the line before it reports it.
            return .badResponse(reason: "\(ContentCoding.notChunked): \(reason)", url: url)
        case CURLE_OUT_OF_MEMORY where exchange.hop.isConnected && exchange.hop.response == nil,
            Self.tooLarge:
            // libcurl before 8.6 reports a lack of memory.
            return .badResponse(reason: "its head has a line of more than 100 KB", url: url)
        case CURLE_BAD_FUNCTION_ARGUMENT where exchange.hop.head.isOpen:
            // Of libcurl before 8; later ones report the line.
            return .badResponse(reason: CurlHead.foldedFirst, url: url)
        case CURLE_URL_MALFORMAT:
            return .invalidRequest(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST:
            return .cannotResolve(host: host, url: url)
        case CURLE_COULDNT_RESOLVE_PROXY:
            // libcurl's text names the proxy.
            return .cannotConnect(host: host, reason: reason, url: url)
        case CURLE_RECV_ERROR where isProxyRefusal:
            let refusal = "the proxy refused the connection with status \(proxyStatus)"
            return .cannotConnect(host: host, reason: refusal, url: url)
        case CURLE_COULDNT_CONNECT where [ENETUNREACH, ENETDOWN].contains(systemError):
            return .notConnected(host: host, url: url)
        case CURLE_COULDNT_CONNECT:
            return .cannotConnect(host: host, reason: refusal(reason, of: url, by: host), url: url)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(.connect, limit: exchange.settings.connectTimeout, url: url)
        case CURLE_PARTIAL_FILE:
            return .truncatedBody(
                received: exchange.metrics.bytes,
                expected: exchange.hop.response?.expectedLength,
                url: url
            )
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            return .connectionLost(reason: reason, url: url)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            // HTTP/0.9 responses are reported as CURLE_UNSUPPORTED_PROTOCOL; the scheme was checked
            // before.
            return .badResponse(reason: reason, url: url)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return .tls(TLSFault(code, verification: certificateError), reason: reason, url: url)
        default:
            return .curl(code: Int(code.rawValue), message: reason, url: url)
        }
    }
}
