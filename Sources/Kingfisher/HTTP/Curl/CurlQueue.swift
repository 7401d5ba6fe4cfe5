/// Transfers waiting for a connection, ordered by priority, then by age.
///
/// Each operation costs O(log n). Removing or moving a transfer leaves an outdated place, which is
/// skipped when it is first. A host's places are cleaned up when most of them are outdated.
struct CurlQueue {
    /// The place of a transfer; a later place of the same transfer outdates it.
    fileprivate struct Place: Comparable {
        let priority: Float
        let id: UInt64
        let number: UInt64

        static func < (a: Place, b: Place) -> Bool {
            a.priority == b.priority ? a.id < b.id : a.priority > b.priority
        }
    }

    /// The transfers to one origin.
    ///
    /// A class, so that an exchange finds its host without hashing the origin again.
    final class Host {
        let origin: String
        fileprivate var places = Heap<Place>()
        fileprivate var waiting = 0
        fileprivate var running = 0
        /// The number of the host's place in ``CurlQueue/ready``.
        fileprivate var ready: UInt64?
        /// Whether its streams share a connection, as with HTTP/2.
        fileprivate var isMultiplexing: Bool
        /// The running transfers without a byte of a response.
        fileprivate var silent = 0
        /// Whether it is in ``CurlQueue/held``.
        fileprivate var isHeld = false
        /// When a response last began.
        fileprivate var lastAnswer: CurlTime?
        private let silence: Silence

        /// Whether its connections may be dead: until the next response, requests are sent on new
        /// ones.
        var isSuspect = false

        fileprivate init(origin: String, isMultiplexing: Bool, silence: Silence) {
            self.origin = origin
            self.isMultiplexing = isMultiplexing
            self.silence = silence
        }

        /// A response to one of the transfers has begun.
        func answered(at time: CurlTime) {
            isSuspect = false
            lastAnswer = time
        }

        /// Counts the transfers without a byte of a response.
        func count(_ change: Int) {
            silent += change
            silence.count += change
            if change < 0 { silence.hasShrunk = true }
        }

        /// Whether it answers; then its other transfers may be expected to be answered soon.
        fileprivate var isLively: Bool {
            lastAnswer.map { CurlTime.now - $0 < .seconds(1) } ?? false
        }
    }

    /// The running transfers of all hosts without a byte of a response.
    ///
    /// A class, because a host changes it.
    fileprivate final class Silence {
        var count = 0
        /// Whether a host that had to wait may go on.
        var hasShrunk = false
    }

    /// The first place of a host that has a free connection.
    private struct Ready: Comparable {
        let place: Place
        let host: Host

        static func < (a: Ready, b: Ready) -> Bool { a.place < b.place }
        static func == (a: Ready, b: Ready) -> Bool { a.place == b.place }
    }

    private var waiting: [UInt64: (exchange: CurlExchange, number: UInt64)] = [:]
    /// All hosts with transfers, and some without.
    private var hosts: [String: Host] = [:]
    private var ready = Heap<Ready>()
    /// Hosts with a free connection that have to wait because servers are silent.
    private var held: [Host] = []
    private let silence = Silence()
    /// Transfers without a byte of a response above which a host gets no more than one.
    ///
    /// Otherwise a few silent servers would take all places, and transfers to others would wait for
    /// their time-outs.
    private let manySilent: Int
    private var lastNumber: UInt64 = 0
    /// Origins that use HTTP/2.
    private var multiplexing: Set<String> = []

    /// Streams per HTTP/2 connection, below the 100 that servers commonly allow.
    static let streamsPerConnection = 64

    /// The number of hosts above which those without transfers are removed, because a crawler
    /// connects to very many hosts.
    private static let maxIdleHosts = 64

    /// Makes a queue.
    ///
    /// - Parameter limit: The maximum number of running transfers.
    init(limit: Int = 64) {
        manySilent = max(1, limit / 2)
    }

    var count: Int { waiting.count }

    /// Whether a host with waiting transfers has a free connection; also true of an outdated place.
    var isReady: Bool { ready.count > 0 || !held.isEmpty && silence.hasShrunk }

    /// The number of places in memory, of transfers and of hosts, including outdated ones.
    var placeCount: Int { hosts.values.reduce(ready.count) { $0 + $1.places.count } }

    /// The number of hosts in memory, including those without transfers.
    var hostCount: Int { hosts.count }

    mutating func add(_ exchange: CurlExchange) {
        let host = host(of: exchange)
        lastNumber += 1
        let old = waiting.updateValue((exchange, lastNumber), forKey: exchange.id)
        if old == nil { host.waiting += 1 }
        host.places.insert(
            Place(priority: exchange.priority, id: exchange.id, number: lastNumber)
        )
        clearOut(host)
        offer(host)
    }

    mutating func remove(_ exchange: CurlExchange) {
        guard waiting.removeValue(forKey: exchange.id) != nil else { return }
        left(host(of: exchange))
        exchange.host = nil
    }

    /// Moves an exchange whose priority has changed, if it is waiting.
    mutating func resort(_ exchange: CurlExchange) {
        if waiting[exchange.id] != nil { add(exchange) }
    }

    /// Removes the first exchange whose host has a free connection, and counts it as running.
    mutating func takeNext() -> CurlExchange? {
        releaseHeld()
        while let first = ready.removeFirst() {
            let host = first.host
            if host.ready == first.place.number { host.ready = nil }
            guard let exchange = current(first.place), hasRoom(host, for: exchange) else {
                offer(host)
                continue
            }
            if silence.count >= manySilent, host.silent > 0, !host.isLively {
                host.ready = first.place.number
                if !host.isHeld { held.append(host) }
                host.isHeld = true
                continue
            }
            waiting[exchange.id] = nil
            host.running += 1
            exchange.isSilent = true
            left(host)
            return exchange
        }
        return nil
    }

    /// Offers the hosts again that had to wait.
    private mutating func releaseHeld() {
        guard silence.hasShrunk else { return }
        silence.hasShrunk = false
        let hosts = held
        held = []
        for host in hosts {
            (host.ready, host.isHeld) = (nil, false)
            offer(host)
        }
    }

    /// Frees the connection counted by `takeNext`.
    mutating func finished(_ exchange: CurlExchange, multiplexed: Bool) {
        exchange.isSilent = false
        let host = host(of: exchange)
        // Limited, because a crawler connects to very many hosts.
        if multiplexed, multiplexing.count < 1024 { multiplexing.insert(host.origin) }
        if multiplexed { host.isMultiplexing = true }
        host.running -= 1
        forget(host)
        offer(host)
        exchange.host = nil
    }

    /// Frees the memory that held earlier transfers; there must be none.
    mutating func shrink() {
        waiting = [:]
        hosts = [:]
        ready = Heap()
        held = []
    }

    // MARK: Places

    /// The host of an exchange's hop; looked up once per hop.
    private mutating func host(of exchange: CurlExchange) -> Host {
        if let host = exchange.host { return host }
        let origin = exchange.chain.origin
        if let host = hosts[origin] {
            exchange.host = host
            return host
        }
        let isMultiplexing = multiplexing.contains(origin)
        let host = Host(origin: origin, isMultiplexing: isMultiplexing, silence: silence)
        hosts[origin] = host
        exchange.host = host
        return host
    }

    /// The exchange of a place; nil if the place is outdated.
    private func current(_ place: Place) -> CurlExchange? {
        guard let entry = waiting[place.id], entry.number == place.number else { return nil }
        return entry.exchange
    }

    private func hasRoom(_ host: Host, for exchange: CurlExchange) -> Bool {
        let limit = max(1, exchange.settings.maxConnectionsPerHost)
        // A new connection has one stream.
        let isShared = host.isMultiplexing && !host.isSuspect
        return host.running < (isShared ? Self.streamsPerConnection : limit)
    }

    /// Adds the first place of a host to ``ready`` if the host has a free connection.
    private mutating func offer(_ host: Host) {
        while let place = host.places.first {
            guard let exchange = current(place) else {
                _ = host.places.removeFirst()
                continue
            }
            guard host.ready != place.number, hasRoom(host, for: exchange) else { return }
            host.ready = place.number
            ready.insert(Ready(place: place, host: host))
            clearOutReady()
            return
        }
    }

    /// Updates the host after a transfer has left the queue.
    private mutating func left(_ host: Host) {
        host.waiting -= 1
        clearOut(host)
        forget(host)
        offer(host)
    }

    private func clearOut(_ host: Host) {
        guard host.places.count > 64 + 2 * host.waiting else { return }
        host.places.keep { [waiting] in waiting[$0.id]?.number == $0.number }
    }

    /// Cleans up ``ready``, in which one place of a host counts.
    private mutating func clearOutReady() {
        guard ready.count > 64 + 2 * hosts.count else { return }
        var kept: Set<UInt64> = []
        ready.keep { [waiting] in
            let number = $0.place.number
            return waiting[$0.place.id]?.number == number && $0.host.ready == number
                && kept.insert(number).inserted
        }
    }

    private mutating func forget(_ host: Host) {
        guard hosts.count > Self.maxIdleHosts, host.waiting == 0, host.running <= 0 else { return }
        hosts[host.origin] = nil
    }
}
