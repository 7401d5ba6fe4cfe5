/// Transfers waiting for a connection, ordered by priority, then by age.
///
/// Each operation costs O(log n). Removing or moving a transfer leaves an outdated place, which is
/// skipped when it is first. A host's places are cleaned up when most of them are outdated.
struct CurlQueue {
    /// The place of a transfer; a later place of the same transfer outdates it.
    private struct Place: Comparable {
        let priority: Float
        let id: UInt64
        let number: UInt64

        static func < (a: Place, b: Place) -> Bool {
            a.priority == b.priority ? a.id < b.id : a.priority > b.priority
        }
    }

    private struct Host {
        var places = Heap<Place>()
        var waiting = 0
        var running = 0
        /// The number of the host's place in ``CurlQueue/ready``.
        var ready: UInt64?
    }

    /// The first place of a host that has a free connection.
    private struct Ready: Comparable {
        let place: Place
        let origin: String

        static func < (a: Ready, b: Ready) -> Bool { a.place < b.place }
    }

    private var waiting: [UInt64: (exchange: CurlExchange, number: UInt64)] = [:]
    private var hosts: [String: Host] = [:]
    private var ready = Heap<Ready>()
    private var lastNumber: UInt64 = 0
    /// Origins that use HTTP/2: their streams share a connection.
    private var multiplexing: Set<String> = []

    /// Streams per HTTP/2 connection, below the 100 that servers commonly allow.
    static let streamsPerConnection = 64

    var count: Int { waiting.count }

    /// The number of places in memory, including outdated ones.
    var placeCount: Int { hosts.values.reduce(0) { $0 + $1.places.count } }

    mutating func add(_ exchange: CurlExchange) {
        let origin = exchange.hopOrigin
        if waiting[exchange.id] == nil { hosts[origin, default: Host()].waiting += 1 }
        lastNumber += 1
        waiting[exchange.id] = (exchange, lastNumber)
        let place = Place(priority: exchange.priority, id: exchange.id, number: lastNumber)
        hosts[origin]?.places.insert(place)
        clearOut(origin)
        offer(origin)
    }

    mutating func remove(_ exchange: CurlExchange) {
        guard waiting.removeValue(forKey: exchange.id) != nil else { return }
        left(exchange.hopOrigin)
    }

    /// Moves an exchange whose priority has changed, if it is waiting.
    mutating func resort(_ exchange: CurlExchange) {
        if waiting[exchange.id] != nil { add(exchange) }
    }

    /// Removes the first exchange whose host has a free connection, and counts it as running.
    mutating func takeNext() -> CurlExchange? {
        while let first = ready.removeFirst() {
            if hosts[first.origin]?.ready == first.place.number { hosts[first.origin]?.ready = nil }
            guard isCurrent(first.place), let exchange = waiting[first.place.id]?.exchange,
                hasRoom(for: exchange)
            else {
                offer(first.origin)
                continue
            }
            waiting[exchange.id] = nil
            hosts[first.origin]?.running += 1
            left(first.origin)
            return exchange
        }
        return nil
    }

    /// Frees the connection counted by `takeNext`.
    mutating func finished(_ exchange: CurlExchange, multiplexed: Bool) {
        let origin = exchange.hopOrigin
        // Limited, because a crawler connects to very many hosts.
        if multiplexed, multiplexing.count < 1024 { multiplexing.insert(origin) }
        hosts[origin]?.running -= 1
        forget(origin)
        offer(origin)
    }

    // MARK: Places

    private func isCurrent(_ place: Place) -> Bool { waiting[place.id]?.number == place.number }

    private func hasRoom(for exchange: CurlExchange) -> Bool {
        let limit = max(1, exchange.settings.maxConnectionsPerHost)
        return hosts[exchange.hopOrigin]?.running ?? 0
            < (multiplexing.contains(exchange.hopOrigin) ? Self.streamsPerConnection : limit)
    }

    /// Adds the first place of a host to ``ready`` if the host has a free connection.
    private mutating func offer(_ origin: String) {
        while let place = hosts[origin]?.places.first {
            guard isCurrent(place), let exchange = waiting[place.id]?.exchange else {
                _ = hosts[origin]?.places.removeFirst()
                continue
            }
            guard hosts[origin]?.ready != place.number, hasRoom(for: exchange) else { return }
            hosts[origin]?.ready = place.number
            ready.insert(Ready(place: place, origin: origin))
            return
        }
    }

    /// Updates the host after a transfer has left the queue.
    private mutating func left(_ origin: String) {
        hosts[origin]?.waiting -= 1
        clearOut(origin)
        forget(origin)
        offer(origin)
    }

    private mutating func clearOut(_ origin: String) {
        guard let host = hosts[origin], host.places.count > 64 + 2 * host.waiting else { return }
        hosts[origin]?.places.keep { [waiting] in waiting[$0.id]?.number == $0.number }
    }

    private mutating func forget(_ origin: String) {
        if let host = hosts[origin], host.waiting == 0, host.running <= 0 { hosts[origin] = nil }
    }
}
