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
            guard let deadline = deadline(of: exchange) else { continue }
            if deadline.time > now {
                nextCheck = nextCheck.map { min($0, deadline.time) } ?? deadline.time
            } else {
                release(exchange, harvest: true)
                end(exchange, .timedOut(deadline.phase, limit: deadline.limit, url: exchange.url))
            }
        }
    }

    private func deadline(
        of exchange: CurlExchange
    ) -> (time: ContinuousClock.Instant, phase: TransferError.Phase, limit: Duration)? {
        let settings = exchange.settings
        let idle = exchange.isIdleCounted ? exchange.lastActivity + settings.idleTimeout : nil
        let total = settings.totalTimeout.map { exchange.startTime + $0 }
        if let total, idle.map({ total < $0 }) ?? true {
            return (total, .total, settings.totalTimeout ?? .zero)
        }
        return idle.map { ($0, .idle, settings.idleTimeout) }
    }
}
