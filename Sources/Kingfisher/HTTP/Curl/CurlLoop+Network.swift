import CKFCurl
import CKFCurlShim

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Connections that a change of the network has cut. Their peers are silent, and neither the system
// nor libcurl notices that for minutes.

extension CurlLoop {
    /// How long a request waits for a first byte before its connection is not kept for others.
    static let patience = Duration.seconds(3)
    /// A shorter sleep does not cut connections.
    private static let shortSleep = Duration.seconds(1)

    /// Releases a transfer that has not ended by itself, and ends its connection if nothing arrives on
    /// it.
    ///
    /// Other requests on the connection fail with it, unless their transfers wait for their handlers:
    /// then no bytes are expected, and the connection is kept until the last one leaves.
    ///
    /// - Parameters:
    ///   - exchange: The transfer.
    ///   - time: How long nothing must have arrived.
    func abandon(_ exchange: CurlExchange, after time: Duration) {
        let (connection, host) = (exchange.hop.connection, exchange.host)
        let hasWaited =
            exchange.handle != nil && exchange.isIdleCounted && now - exchange.lastActivity >= time
        // Unknown without a connection, and of HTTP/3.
        let isDead = hasWaited && connection?.isSilent(for: time) ?? true
        release(exchange, harvest: true)
        guard isDead else { return }
        host?.isSuspect = true
        _ = leavesAlternative(exchange, after: CURLE_OPERATION_TIMEDOUT)
        guard let connection else { return }
        let isLimit = time >= exchange.settings.idleTimeout
        if connection.users == 0 || isLimit && !hasPausedUser(connection) { connection.end() }
        sockets.endIdle(beside: connection, silentFor: time)
    }

    private func hasPausedUser(_ connection: CurlConnection) -> Bool {
        running.values.contains { $0.hop.connection === connection && !$0.isIdleCounted }
    }

    /// Forgets a server's alternative that was not reached.
    ///
    /// - Parameters:
    ///   - exchange: The transfer, whose handle is already released.
    ///   - code: libcurl's result of the hop.
    /// - Returns: Whether the request can be sent again without the alternative.
    func leavesAlternative(_ exchange: CurlExchange, after code: CURLcode) -> Bool {
        let hop = exchange.hop
        guard hop.hasAlternative, hop.head.isEmpty, code != CURLE_OK else { return false }
        exchange.avoidsAlternatives = true
        environment.alternatives.fail(exchange.url, of: exchange.chain.origin, at: now)
        // Without a connection nothing was sent.
        return !hop.isConnected || exchange.isRepeatable
    }

    /// Notices that the machine has slept: servers and networks have forgotten its connections.
    func followSleep() {
        let slept = configuration.timeAsleep()
        defer { sleep = slept }
        if slept - sleep > Self.shortSleep { suspect { _ in true } }
    }

    /// Applies a change of the machine's addresses and routes.
    func followRoutes(_ change: RouteSocket.Change) {
        switch change {
        case .none: break
        case .added: suspect { $0 == kf_curl_route_moved }
        // The same address may have come back in another network.
        case .removed: suspect { $0 != kf_curl_route_local }
        }
    }

    private func suspect(_ isSuspect: (kf_curl_route) -> Bool) {
        let suspects = sockets.review(isSuspect)
        guard !suspects.isEmpty else { return }
        for exchange in running.values {
            guard let connection = exchange.hop.connection else { continue }
            if suspects.contains(where: { $0 === connection }) { exchange.host?.isSuspect = true }
        }
    }
}

extension CurlExchange {
    /// Whether the request may be sent again without asking.
    var isRepeatable: Bool {
        let method = chain.request.httpMethod ?? "GET"
        let isRead = method == "GET" || method == "HEAD"
        return isRead && !hasRepeated && chain.request.httpBody == nil
    }

    /// Prepares to send the request once more on a new connection, if the server has not processed it:
    /// its connection has ended without a byte of a response.
    ///
    /// - Parameters:
    ///   - code: libcurl's result of the hop, whose handle is already released.
    ///   - time: The time.
    /// - Returns: Whether it is to be sent again.
    func repeats(after code: CURLcode, at time: CurlTime) -> Bool {
        let unprocessed: [CURLcode] = [
            CURLE_FAILED_INIT, CURLE_HTTP2, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_HTTP2_STREAM,
        ]
        guard isRepeatable, hop.head.isEmpty, unprocessed.contains(code),
            !diagnosis.isProxyRefusal, !diagnosis.isFlood
        else { return false }
        hasRepeated = true
        let needsHTTP1 = diagnosis.requiresHTTP1
        hop = CurlHop(queueTime: time, needsFreshConnection: true, needsHTTP1: needsHTTP1)
        return true
    }
}
