/// Transfers that wait for a connection: highest priority first, then the oldest.
///
/// Sorted on insertion; a queue is rarely longer than a screen of pictures, and a search in an
/// array beats a heap until well past a thousand.
struct CurlQueue {
    private var waiting: [CurlExchange] = []
    private var runningPerHost: [String: Int] = [:]
    /// Origins that spoke HTTP/2: their streams share a connection.
    private var multiplexing: Set<String> = []

    /// Streams per HTTP/2 connection, below the 100 that servers commonly allow.
    static let streamsPerConnection = 64

    var count: Int { waiting.count }

    mutating func add(_ exchange: CurlExchange) {
        var low = 0
        var high = waiting.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(exchange, waiting[middle]) { high = middle } else { low = middle + 1 }
        }
        waiting.insert(exchange, at: low)
    }

    private static func precedes(_ a: CurlExchange, _ b: CurlExchange) -> Bool {
        a.priority == b.priority ? a.id < b.id : a.priority > b.priority
    }

    mutating func remove(_ exchange: CurlExchange) {
        waiting.removeAll { $0 === exchange }
    }

    /// Puts an exchange whose priority has changed where it belongs, if it waits.
    mutating func resort(_ exchange: CurlExchange) {
        guard let index = waiting.firstIndex(where: { $0 === exchange }) else { return }
        waiting.remove(at: index)
        add(exchange)
    }

    /// Takes the first exchange whose host has room, and counts it as running.
    mutating func takeNext() -> CurlExchange? {
        guard let index = waiting.firstIndex(where: { hasRoom($0) }) else { return nil }
        let exchange = waiting.remove(at: index)
        runningPerHost[exchange.hopOrigin, default: 0] += 1
        return exchange
    }

    private func hasRoom(_ exchange: CurlExchange) -> Bool {
        let running = runningPerHost[exchange.hopOrigin] ?? 0
        let limit = max(1, exchange.settings.maxConnectionsPerHost)
        return running
            < (multiplexing.contains(exchange.hopOrigin) ? Self.streamsPerConnection : limit)
    }

    /// Gives back what `takeNext` counted.
    mutating func finished(_ exchange: CurlExchange, multiplexed: Bool) {
        let origin = exchange.hopOrigin
        let left = (runningPerHost[origin] ?? 1) - 1
        runningPerHost[origin] = left > 0 ? left : nil
        // Bounded: a crawler meets more hosts than anyone wants to remember.
        if multiplexed, multiplexing.count < 1024 { multiplexing.insert(origin) }
    }
}
