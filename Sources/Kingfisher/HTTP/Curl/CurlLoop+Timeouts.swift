import CCurl
import Foundation

extension CurlLoop {
    /// Makes sure that the exchange's time-outs are looked at in time.
    func watch(_ exchange: CurlExchange) {
        guard let deadline = deadline(of: exchange)?.time else { return }
        nextCheck = nextCheck.map { min($0, deadline) } ?? deadline
    }

    /// Ends what has taken too long.
    ///
    /// Activity only ever moves a deadline back, so that all transfers need a look no earlier than
    /// at the earliest deadline seen last time: receiving costs the note of a time.
    func checkTimeouts() {
        guard let due = nextCheck, due <= now else { return }
        nextCheck = nil
        for exchange in Array(exchanges.values) {
            guard var deadline = deadline(of: exchange) else { continue }
            if deadline.phase == .speed, deadline.time <= now, !exchange.isTooSlow {
                exchange.measureSpeed()
                deadline = self.deadline(of: exchange) ?? deadline
            }
            if deadline.time > now {
                nextCheck = nextCheck.map { min($0, deadline.time) } ?? deadline.time
            } else {
                release(exchange, harvest: true)
                end(exchange, .timedOut(deadline.phase, limit: deadline.limit, url: exchange.url))
            }
        }
    }

    private typealias Deadline = (
        time: ContinuousClock.Instant, phase: TransferError.Phase, limit: Duration
    )

    private func deadline(of exchange: CurlExchange) -> Deadline? {
        let settings = exchange.settings
        var deadlines: [Deadline] = []
        if exchange.isIdleCounted {
            let limit = settings.idleTimeout
            deadlines.append((exchange.lastActivity + limit, .idle, limit))
            if let start = exchange.measured?.from, settings.minimumSpeed > 0 {
                deadlines.append((start + limit, .speed, limit))
            }
        }
        if let limit = settings.totalTimeout {
            deadlines.append((exchange.startTime + limit, .total, limit))
        }
        return deadlines.min { $0.time < $1.time }
    }
}
