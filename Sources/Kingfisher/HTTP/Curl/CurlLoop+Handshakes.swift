import CKFCurl
import CKFCurlShim

// Transfers to a server with TLS wait for its first handshake, because the connection may be HTTP/2
// and shared. They must not wait for a handshake that hangs.

extension CurlLoop {
    /// How long a handshake may take before the next waiting transfer connects by itself.
    static let longHandshake = Duration.milliseconds(300)

    /// The transfers of a host that have no connection yet.
    private struct Connecting {
        var waiting: CurlExchange?
        var handshakes = 0
        var lastStart: CurlTime?

        mutating func add(_ exchange: CurlExchange) {
            if let start = exchange.hop.socketTime {
                handshakes += 1
                lastStart = lastStart.map { max($0, start) } ?? start
            } else if exchange.hop.waitsForHandshake {
                if waiting.map({ Self.isBefore(exchange, $0) }) ?? true { waiting = exchange }
            }
        }

        private static func isBefore(_ a: CurlExchange, _ b: CurlExchange) -> Bool {
            a.priority == b.priority ? a.id < b.id : a.priority > b.priority
        }
    }

    /// Lets one waiting transfer of each host connect by itself, if the last handshake takes long.
    func hurryWaiting() {
        var hosts: [ObjectIdentifier: Connecting] = [:]
        for exchange in running.values where !exchange.hop.isConnected {
            guard let host = exchange.host else { continue }
            hosts[ObjectIdentifier(host), default: Connecting()].add(exchange)
        }
        for connecting in hosts.values {
            guard let exchange = connecting.waiting, let start = connecting.lastStart,
                connecting.handshakes < max(1, exchange.settings.maxConnectionsPerHost)
            else { continue }
            let time = start + Self.longHandshake
            if time <= now { connectAlone(exchange) }
            check(at: max(time, now + Self.longHandshake))
        }
    }

    private func connectAlone(_ exchange: CurlExchange) {
        guard let multi, let handle = exchange.handle else { return }
        // libcurl reads the option only when it looks for a connection.
        curl_multi_remove_handle(multi, handle)
        exchange.hop.waitsForHandshake = false
        exchange.hop.socketTime = now
        kf_curl_setopt_long(handle, CURLOPT_PIPEWAIT, 0)
        let code = curl_multi_add_handle(multi, handle)
        guard code != CURLM_OK else { return }
        let message = String(cString: curl_multi_strerror(code))
        release(exchange, harvest: false)
        end(exchange, .curl(code: Int(code.rawValue), message: message, url: exchange.url))
    }
}
