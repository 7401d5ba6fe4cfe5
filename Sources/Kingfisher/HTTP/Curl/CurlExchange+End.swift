import CCurl
import CCurlShim
import Foundation
import SystemPackage

extension CurlExchange {
    /// Reads the timings of the hop that `handle` has just completed.
    func gatherMetrics(from handle: UnsafeMutableRawPointer) {
        func time(_ info: CURLINFO) -> Duration {
            var value: curl_off_t = 0
            kf_curl_getinfo_off(handle, info, &value)
            return .microseconds(value)
        }
        func number(_ info: CURLINFO) -> Int {
            var value = 0
            kf_curl_getinfo_long(handle, info, &value)
            return value
        }
        proxyStatus = number(CURLINFO_HTTP_CONNECTCODE)
        certificateError = number(CURLINFO_SSL_VERIFYRESULT)
        systemError = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
        let resolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = time(CURLINFO_CONNECT_TIME_T)
        let secured = time(CURLINFO_APPCONNECT_TIME_T)
        let sent = time(CURLINFO_PRETRANSFER_TIME_T)
        let first = time(CURLINFO_STARTTRANSFER_TIME_T)
        let end = time(CURLINFO_TOTAL_TIME_T)
        metrics.connectionReused = number(CURLINFO_NUM_CONNECTS) == 0 && sent > .zero
        let isNew = !metrics.connectionReused
        metrics.dns = isNew && resolved > .zero ? resolved : nil
        metrics.connect = isNew && connected > .zero ? connected - resolved : nil
        metrics.tls = isNew && secured > .zero ? secured - connected : nil
        metrics.firstByte = first > .zero ? max(.zero, first - sent) : nil
        metrics.body = first > .zero ? end - first : nil
        var wire: curl_off_t = 0
        kf_curl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &wire)
        metrics.wireBytes = Int(wire)
        metrics.protocolName = Self.protocolName(number(CURLINFO_HTTP_VERSION))
        var peer: UnsafePointer<CChar>?
        kf_curl_getinfo_string(handle, CURLINFO_PRIMARY_IP, &peer)
        let address = peer.map { String(cString: $0) } ?? ""
        metrics.remoteAddress = address.isEmpty ? nil : address
    }

    private static func protocolName(_ version: Int) -> String? {
        switch version {
        case 1: "http/1.0"
        case 2: "http/1.1"
        case 3: "h2"
        case 30: "h3"
        default: nil
        }
    }

    /// Why no connection was made, without the name of the host again.
    ///
    /// libcurl's text also names proxies, and is kept for them.
    private func refusal(_ text: String, by host: String) -> String {
        guard systemError != 0, text.contains(" \(host) ") else { return text }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        return "\(Errno(rawValue: systemError)) (port \(port))"
    }

    /// Maps libcurl's result of the hop to an error; `nil` on success.
    func error(for code: CURLcode) -> TransferError? {
        guard code != CURLE_OK else { return nil }
        if let refused = refusedAddress {
            return .addressRefused(address: refused.text, range: refused.range, url: url)
        }
        let detail = String(cString: errorText)
        let reason = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let host = url.host ?? ""
        switch code {
        case CURLE_URL_MALFORMAT:
            return .invalidRequest(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST:
            return .cannotResolve(host: host, url: url)
        case CURLE_COULDNT_RESOLVE_PROXY:
            // libcurl's text names the proxy.
            return .cannotConnect(host: host, reason: reason, url: url)
        case CURLE_RECV_ERROR where proxyStatus >= 300:
            let refusal = "the proxy refused the connection with status \(proxyStatus)"
            return .cannotConnect(host: host, reason: refusal, url: url)
        case CURLE_COULDNT_CONNECT where [ENETUNREACH, ENETDOWN].contains(systemError):
            return .notConnected(host: host, url: url)
        case CURLE_COULDNT_CONNECT:
            return .cannotConnect(host: host, reason: refusal(reason, by: host), url: url)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(.connect, limit: settings.connectTimeout, url: url)
        case CURLE_PARTIAL_FILE:
            return .truncatedBody(
                received: metrics.bytes,
                expected: response?.expectedLength,
                url: url
            )
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            return .connectionLost(reason: reason, url: url)
        case CURLE_WRITE_ERROR:
            // Stopping a transfer has another error, so a decoder of libcurl did not accept bytes:
            // it does not decode a second member of a gzip file (RFC 1952, 2.2).
            return .badResponse(reason: "bytes follow the end of its encoded body", url: url)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
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
