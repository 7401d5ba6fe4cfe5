import CKFCurl
import CKFCurlShim
import Foundation

extension CurlLoop {
    /// Whether a transfer waits for a connection that is free.
    var canAdmit: Bool { hasRoom && queue.isReady }

    private var hasRoom: Bool { running.count < max(1, configuration.maxConnections) }

    /// Starts waiting transfers while connections are free.
    func admit() {
        while hasRoom, let exchange = queue.takeNext() {
            // Its command to cancel is on the way. It sends no request and keeps its connection
            // until then, so that the queue does not offer all that were cancelled with it.
            exchange.isAdmitted = true
            if exchange.transfer.isCancelled { continue }
            begin(exchange)
        }
    }

    private func begin(_ exchange: CurlExchange) {
        // A new handle for each hop: libcurl before 8.1.0 keeps pointers to freed headers across
        // `curl_easy_reset`.
        guard let multi, let handle = curl_easy_init() else {
            freeConnection(of: exchange, multiplexed: false)
            return end(
                exchange,
                .curl(code: 27, message: "out of memory", url: exchange.url)
            )
        }
        exchange.hop.isWaitingForConnection = false
        exchange.metrics.queue += now - exchange.hop.queueTime
        exchange.lastActivity = now
        exchange.handle = handle
        running[handle] = exchange
        if let share { kf_curl_setopt_pointer(handle, CURLOPT_SHARE, share) }
        do throws(TransferError) {
            try exchange.configure(handle, environment, sockets)
        } catch {
            release(exchange, harvest: false)
            return end(exchange, error)
        }
        let code = curl_multi_add_handle(multi, handle)
        guard code == CURLM_OK else {
            release(exchange, harvest: false)
            return end(
                exchange,
                .curl(
                    code: Int(code.rawValue),
                    message: String(cString: curl_multi_strerror(code)),
                    url: exchange.url
                )
            )
        }
        watch(exchange)
        if exchange.hop.waitsForHandshake { check(at: now + Self.longHandshake) }
    }

    /// Releases the handle of an exchange and its connection slot, or removes it from the queue.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - harvest: Whether to read the timings first.
    func release(_ exchange: CurlExchange, harvest: Bool) {
        guard let handle = exchange.handle else {
            guard exchange.isAdmitted else { return queue.remove(exchange) }
            return freeConnection(of: exchange, multiplexed: false)
        }
        if harvest { exchange.gatherMetrics(from: handle) }
        if let multi { curl_multi_remove_handle(multi, handle) }
        exchange.handle = nil
        exchange.leaveConnection()
        exchange.hop.isRationed = false
        running[handle] = nil
        freeConnection(of: exchange, multiplexed: exchange.metrics.protocolName == "h2")
        // The handle has a pointer to the header list, so it is freed first.
        curl_easy_cleanup(handle)
        exchange.releaseHeaders()
    }

    /// Frees the connection that the queue counts for an exchange.
    private func freeConnection(of exchange: CurlExchange, multiplexed: Bool) {
        exchange.isAdmitted = false
        queue.finished(exchange, multiplexed: multiplexed)
    }

    /// Continues after a hop whose handle was released.
    func hopEnded(_ exchange: CurlExchange, _ code: CURLcode) {
        if exchange.transfer.isCancelled { return end(exchange, .cancelled) }
        if exchange.hop.hasStaleConnection {
            // Nothing was sent, so the request can be sent on another connection.
            exchange.beginNextHop(at: now)
            return queue.add(exchange)
        }
        if case .tentative(let response) = exchange.hop.phase { exchange.consider(response) }
        switch exchange.hop.phase {
        case .asking:
            exchange.hop.result = code
        case .stopped:
            end(exchange, exchange.failure ?? .cancelled)
        case .discarding:
            exchange.beginNextHop(at: now)
            queue.add(exchange)
        case .delivering where !exchange.finishBody():
            exchange.hop.result = code
        case .delivering:
            let error = exchange.diagnosis.error(for: code, of: exchange)
            end(exchange, error ?? exchange.hop.decoding?.failure)
        case .head where exchange.askAboutServer(after: code):
            if case .asking = exchange.hop.phase { return }
            hopEnded(exchange, code)
        case .head where leavesAlternative(exchange, after: code):
            exchange.beginNextHop(at: now)
            queue.add(exchange)
        case .head where exchange.repeats(after: code, at: now):
            queue.add(exchange)
        case .head, .tentative:
            end(
                exchange,
                exchange.diagnosis.error(for: code, of: exchange)
                    ?? .badResponse(reason: "it has no head", url: exchange.url)
            )
        }
    }

    /// Ends an accepted transfer; all ends pass through here.
    func end(_ exchange: CurlExchange, _ error: TransferError?) {
        guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
        exchange.handOn()
        watchRest()
        if exchange.hop.isWaitingForConnection {
            exchange.metrics.queue += now - exchange.hop.queueTime
        }
        exchange.metrics.total = .now - exchange.startTime
        let (handler, transfer, metrics) = (exchange.handler, exchange.transfer, exchange.metrics)
        guard let decoding = exchange.hop.decoding else {
            return handler.transfer(transfer, didFinish: error, metrics: metrics)
        }
        decoding.stop {
            var metrics = metrics
            metrics.bytes = decoding.count
            handler.transfer(transfer, didFinish: error, metrics: metrics)
        }
    }
}

extension CurlLoop {
    /// The number of transfers at once whose memory is worth giving back: about 20 KB each.
    private static let manyTransfers = 1_000
    /// Seconds without a transfer after which memory is given back.
    private static let restTime = Duration.seconds(1)

    /// Schedules giving back memory if the last of many transfers has ended.
    func watchRest() {
        guard exchanges.isEmpty, peak >= Self.manyTransfers else { return }
        let time = now + Self.restTime
        restEnd = time
        check(at: time)
    }

    /// Gives the memory of many ended transfers back to the system, which the allocator would keep.
    private func giveBackMemory() {
        guard exchanges.isEmpty, let time = restEnd else { return }
        // Another check was due. The handlers' memory may not be free yet.
        guard time <= now else { return check(at: time) }
        restEnd = nil
        peak = 0
        exchanges = [:]
        queue.shrink()
        kf_release_memory()
    }

    /// Schedules the check of the exchange's time-outs.
    func watch(_ exchange: CurlExchange) {
        if let deadline = deadline(of: exchange) { check(at: deadline.time) }
    }

    /// Schedules the exchange's total time-out, which applies from its start, even while queued.
    func watchTotal(of exchange: CurlExchange) {
        guard let limit = exchange.settings.totalTimeout else { return }
        ends.insert(TotalEnd(time: exchange.startTime + limit, id: exchange.id))
        check(at: exchange.startTime + limit)
    }

    func check(at time: CurlTime) {
        nextCheck = nextCheck.map { min($0, time) } ?? time
    }

    /// Ends transfers that have timed out.
    ///
    /// Activity only ever moves a deadline later, so the next check is due at the earliest deadline
    /// found by the previous one. Receiving data therefore only records a time. A transfer that
    /// waits for a connection has no deadline except its total time-out.
    func checkTimeouts() {
        guard let due = nextCheck, due <= now else { return }
        nextCheck = nil
        giveBackMemory()
        while let first = ends.first, first.time <= now {
            _ = ends.removeFirst()
            guard let exchange = exchanges[first.id] else { continue }
            let limit = exchange.settings.totalTimeout ?? .zero
            abandon(exchange, after: min(limit / 2, Self.patience))
            end(exchange, .timedOut(.total, limit: limit, url: exchange.url))
        }
        if let first = ends.first { check(at: first.time) }
        hurryWaiting()
        for exchange in Array(running.values) {
            guard var deadline = deadline(of: exchange) else { continue }
            if deadline.phase == .speed, deadline.time <= now, !exchange.isTooSlow {
                exchange.measureSpeed()
                deadline = self.deadline(of: exchange) ?? deadline
            }
            if deadline.time > now {
                check(at: deadline.time)
            } else {
                let limit = exchange.settings.idleTimeout
                abandon(exchange, after: limit)
                end(exchange, .timedOut(deadline.phase, limit: limit, url: exchange.url))
            }
        }
    }

    /// The next deadline of an exchange: for activity, or for the speed of its body.
    private func deadline(
        of exchange: CurlExchange
    ) -> (time: CurlTime, phase: TransferError.Phase)? {
        guard exchange.isIdleCounted else { return nil }
        let limit = exchange.settings.idleTimeout
        let idle = exchange.lastActivity + limit
        guard exchange.settings.minimumSpeed > 0, let start = exchange.hop.measured?.from,
            start + limit < idle
        else { return (idle, .idle) }
        return (start + limit, .speed)
    }
}

/// The total time-out of a transfer.
struct TotalEnd: Comparable {
    let time: CurlTime
    let id: UInt64

    static func < (a: TotalEnd, b: TotalEnd) -> Bool { a.time < b.time }
}
