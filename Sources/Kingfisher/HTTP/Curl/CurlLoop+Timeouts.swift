import CCurl
import Foundation

extension CurlLoop {
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

    private func check(at time: ContinuousClock.Instant) {
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
        while let first = ends.first, first.time <= now {
            _ = ends.removeFirst()
            guard let exchange = exchanges[first.id] else { continue }
            expire(exchange, .total, exchange.settings.totalTimeout ?? .zero)
        }
        if let first = ends.first { check(at: first.time) }
        for exchange in Array(running.values) {
            guard var deadline = deadline(of: exchange) else { continue }
            if deadline.phase == .speed, deadline.time <= now, !exchange.isTooSlow {
                exchange.measureSpeed()
                deadline = self.deadline(of: exchange) ?? deadline
            }
            if deadline.time > now {
                check(at: deadline.time)
            } else {
                expire(exchange, deadline.phase, exchange.settings.idleTimeout)
            }
        }
    }

    private func expire(
        _ exchange: CurlExchange,
        _ phase: TransferError.Phase,
        _ limit: Duration
    ) {
        release(exchange, harvest: true)
        end(exchange, .timedOut(phase, limit: limit, url: exchange.url))
    }

    /// The next deadline of an exchange: for activity, or for the speed of its body.
    private func deadline(
        of exchange: CurlExchange
    ) -> (time: ContinuousClock.Instant, phase: TransferError.Phase)? {
        guard exchange.isIdleCounted else { return nil }
        let limit = exchange.settings.idleTimeout
        let idle = exchange.lastActivity + limit
        guard exchange.settings.minimumSpeed > 0, let start = exchange.measured?.from,
            start + limit < idle
        else { return (idle, .idle) }
        return (start + limit, .speed)
    }
}

/// The total time-out of a transfer.
struct TotalEnd: Comparable {
    let time: ContinuousClock.Instant
    let id: UInt64

    static func < (a: TotalEnd, b: TotalEnd) -> Bool { a.time < b.time }
}
