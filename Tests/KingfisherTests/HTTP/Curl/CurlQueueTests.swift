import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Thousands of transfers that wait for a connection.
struct CurlQueueTests {
    private func exchange(
        _ id: UInt64,
        host: String = "a",
        priority: Float = 0.5,
        limit: Int = 1
    ) throws -> CurlExchange {
        let url = try #require(URL(string: "http://\(host)/\(id)"))
        var settings = TransferSettings()
        settings.priority = priority
        settings.maxConnectionsPerHost = limit
        let order = CurlOrder(
            transfer: CurlTransfer(id: id, mailbox: CurlMailbox()),
            request: URLRequest(url: url),
            settings: settings,
            handler: TransferRecorder(),
            time: .now
        )
        return CurlExchange(
            order,
            url: url,
            origin: url.origin,
            round: CurlRound(),
            decoder: CurlDecoder(threads: .system)
        )
    }

    /// The order in which transfers are started while none of them ends.
    private func drain(_ queue: inout CurlQueue) -> [UInt64] {
        var order: [UInt64] = []
        while let next = queue.takeNext() { order.append(next.id) }
        return order
    }

    @Test func `the most urgent goes first, whatever its host, then the oldest`() throws {
        var queue = CurlQueue()
        for (id, host, priority) in [
            (1, "a", 0.5), (2, "b", 0.9), (3, "a", 0.5), (4, "c", 0.1), (5, "b", 0.95),
        ] as [(UInt64, String, Float)] {
            queue.add(try exchange(id, host: host, priority: priority, limit: 9))
        }
        let order = drain(&queue)
        #expect(order == [5, 2, 1, 3, 4])
        #expect(queue.count == 0)
    }

    @Test func `a host without room does not hold up another one`() throws {
        var queue = CurlQueue()
        let first = try exchange(1, priority: 1)
        for exchange in [first, try exchange(2, priority: 1), try exchange(3, host: "b")] {
            queue.add(exchange)
        }
        var order = drain(&queue)
        #expect(order == [1, 3])
        queue.finished(first, multiplexed: false)
        order = drain(&queue)
        #expect(order == [2])
    }

    @Test func `a moved or removed element is taken at the right place, once`() throws {
        var queue = CurlQueue()
        let all = try (1...6).map { try exchange($0, limit: 9) }
        for exchange in all { queue.add(exchange) }
        all[4].priority = 1
        queue.resort(all[4])
        all[0].priority = 0
        queue.resort(all[0])
        queue.remove(all[2])
        queue.remove(all[2])
        queue.resort(all[2])
        #expect(queue.count == 5)
        let order = drain(&queue)
        #expect(order == [5, 2, 4, 6, 1])
    }

    @Test func `an HTTP-2 connection lends itself to more`() throws {
        var queue = CurlQueue()
        let first = try exchange(1)
        queue.add(first)
        for id in 2...4 { queue.add(try exchange(UInt64(id))) }
        _ = queue.takeNext()
        queue.finished(first, multiplexed: true)
        let order = drain(&queue)
        #expect(order == [2, 3, 4])
    }

    @Test func `DL-49: silent servers leave room for others`() throws {
        var queue = CurlQueue(limit: 64)
        for id in 0..<66 { queue.add(try exchange(UInt64(id), host: "h\(id / 6)", limit: 6)) }
        let silent = drain(&queue)
        // Half of the places, and one for each of the other servers.
        #expect(silent.count < 40)
        queue.add(try exchange(100, host: "other", limit: 6))
        let other = drain(&queue)
        #expect(other == [100])
    }

    @Test func `a server that answers gets its other places`() throws {
        var queue = CurlQueue(limit: 8)
        let all = try (1...8).map { try exchange(UInt64($0), limit: 8) }
        for exchange in all { queue.add(exchange) }
        var order = drain(&queue)
        #expect(order == [1, 2, 3, 4])
        #expect(!queue.isReady)
        all[0].host?.answered(at: .now)
        all[0].isSilent = false
        #expect(queue.isReady)
        order = drain(&queue)
        #expect(order == [5, 6, 7, 8])
        for exchange in all { queue.finished(exchange, multiplexed: false) }
        #expect(queue.hostCount == 1)
    }

    @Test func `thousands of hosts leave few behind`() throws {
        var queue = CurlQueue()
        let all = try (1...2000).map { try exchange($0, host: "h\($0)") }
        for exchange in all { queue.add(exchange) }
        let order = drain(&queue)
        #expect(order.count == 2000)
        #expect(queue.hostCount == 2000)
        for exchange in all { queue.finished(exchange, multiplexed: false) }
        #expect(queue.hostCount <= 64)
    }

    @Test func `a host without transfers still has room for the next`() throws {
        var queue = CurlQueue()
        for id in 1...3 {
            let next = try exchange(UInt64(id))
            queue.add(next)
            let order = drain(&queue)
            #expect(order == [UInt64(id)])
            queue.finished(next, multiplexed: false)
        }
        #expect(queue.hostCount == 1)
    }

    @Test func `thousands of moves leave few places while no connection is free`() throws {
        var queue = CurlQueue()
        let all = try (1...2).map { try exchange($0, limit: 9) }
        for exchange in all { queue.add(exchange) }
        for number in 1...5000 {
            all[number % 2].priority = Float(number % 7) / 7
            queue.resort(all[number % 2])
        }
        #expect(queue.placeCount < 200)
        all[0].priority = 1
        queue.resort(all[0])
        let order = drain(&queue)
        #expect(order == [1, 2])
    }

    @Test func `urgent transfers that go ahead leave few places`() throws {
        var queue = CurlQueue()
        let last = try exchange(1, priority: 0, limit: 9)
        queue.add(last)
        for id in 2...5000 {
            queue.add(try exchange(UInt64(id), limit: 9))
            let taken = queue.takeNext()
            let next = try #require(taken)
            #expect(next.id == id)
            queue.finished(next, multiplexed: false)
        }
        #expect(queue.placeCount < 200)
        let order = drain(&queue)
        #expect(order == [1])
    }

    @Test func `thousands of cancels leave no transfers`() throws {
        var queue = CurlQueue()
        let all = try (1...20_000).map { try exchange($0) }
        for exchange in all { queue.add(exchange) }
        let next = queue.takeNext()
        let first = try #require(next)
        for exchange in all.dropFirst().dropLast() { queue.remove(exchange) }
        #expect(queue.count == 1)
        #expect(queue.placeCount <= 64 + 2)
        queue.finished(first, multiplexed: false)
        let order = drain(&queue)
        #expect(order == [20_000])
    }
}
