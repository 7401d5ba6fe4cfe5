import CKFCurl
import CKFCurlShim
import Foundation

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
        diagnosis.read(
            proxyStatus: number(CURLINFO_HTTP_CONNECTCODE),
            certificateError: number(CURLINFO_SSL_VERIFYRESULT),
            systemError: number(CURLINFO_OS_ERRNO)
        )
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
}
