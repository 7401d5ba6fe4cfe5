import Foundation
import Kingfisher
import Synchronization
import Testing

@testable import KingfisherRedis

/// Servers that are none, or that lie.
@Suite(.timeLimit(.minutes(2)))
struct HostileReplyTests {
    private static var quick: RedisSettings {
        var settings = RedisSettings()
        settings.longestBackOff = 0.02
        settings.largestReply = 1 << 20
        return settings
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\0\0", "*1000000000\r\n", "*-5\r\n", "$-7\r\n",
        "$99999999999999999999\r\n", ":abc\r\n", "+\r\n+\r\n+\r\n", "-\r\n", "$5\r\nabc",
        String(repeating: "*1\r\n", count: 500), "*2\r\n+a\r\n", "*3\r\n$1\r\nx\r\n$-1\r\n:1\r\n",
        "%2\r\n+a\r\n+b\r\n", "*65537\r\n", ":9223372036854775807\r\n",
    ])
    func `a reply that makes no sense is an error`(text: String) async throws {
        let server = try FakeServer { connection in
            guard FakeServer.read(commands: 1, from: connection) else { return }
            FakeServer.write(text, to: connection)
            shutdown(connection, Int32(SHUT_WR))
            _ = FakeServer.read(commands: 1_000, from: connection)
        }
        let storage = try RedisImageStorage(server.url, settings: Self.quick)
        for _ in 0..<3 {
            await #expect(throws: RedisError.self) { try await storage.values(for: ["a"]) }
        }
    }

    @Test func `a reply without end is cut off`() async throws {
        let server = try FakeServer { connection in
            guard FakeServer.read(commands: 1, from: connection) else { return }
            FakeServer.write("$500000000\r\n", to: connection)
            let block = String(repeating: "x", count: 100_000)
            for _ in 0..<100 { FakeServer.write(block, to: connection) }
        }
        let storage = try RedisImageStorage(server.url, settings: Self.quick)
        await #expect(throws: RedisError.self) { try await storage.values(for: ["a"]) }
    }

    @Test func `random bytes are no replies`() async throws {
        let seed = Mutex<UInt8>(0)
        let server = try FakeServer { connection in
            guard FakeServer.read(commands: 1, from: connection) else { return }
            var random = SystemRandomNumberGenerator()
            let start = seed.withLock { seed -> UInt8 in
                seed &+= 1
                return Array("*$:+-%\r".utf8)[Int(seed) % 7]
            }
            let bytes = [start] + (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        let storage = try RedisImageStorage(server.url, settings: Self.quick)
        for _ in 0..<100 { _ = try? await storage.values(for: ["a"]) }
    }

    @Test func `requests are sent without waiting for replies`() async throws {
        let server = try FakeServer { connection in
            // No reply before all commands have arrived.
            guard FakeServer.read(commands: 1_000, from: connection) else { return }
            FakeServer.write(String(repeating: "$1\r\nv\r\n", count: 1_000), to: connection)
            _ = FakeServer.read(commands: 1, from: connection)
        }
        let storage = try RedisImageStorage(server.url)
        let values = try await withThrowingTaskGroup { group in
            for index in 0..<1_000 {
                group.addTask { try await storage.values(for: ["\(index)"]).count }
            }
            return try await group.reduce(0, +)
        }
        #expect(values == 1_000)
    }

    @Test func `too many requests without replies are refused`() async throws {
        let server = try FakeServer { _ = FakeServer.read(commands: 1_000_000, from: $0) }
        var settings = RedisSettings()
        settings.pendingRequests = 10
        settings.replyTimeout = .milliseconds(300)
        let storage = try RedisImageStorage(server.url, settings: settings)
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    await #expect(throws: RedisError.self) { try await storage.values(for: ["a"]) }
                }
            }
        }
    }

    @Test func `a storage that is released ends its thread and its requests`() async throws {
        let events = AsyncStream<Void>.makeStream()
        var iterator = events.stream.makeAsyncIterator()
        let server = try FakeServer { connection in
            events.continuation.yield()
            _ = FakeServer.read(commands: 1_000, from: connection)
            events.continuation.yield()
        }
        do {
            let storage = try RedisImageStorage(server.url)
            let read = Task { [storage] in try await storage.values(for: ["a"]) }
            // A read that is cancelled earlier makes no connection.
            await iterator.next()
            read.cancel()
            _ = await read.result
        }
        await iterator.next()
    }
}

/// Addresses of servers.
struct RedisAddressTests {
    @Test func `URLs are read`() throws {
        let full = try RedisAddress("redis://us%40er:pa%2Fss@example.com:7000/5")
        #expect(full.endpoint == .host("example.com", port: 7_000, isEncrypted: false))
        #expect(full.user == "us@er" && full.password == "pa/ss" && full.database == 5)
        #expect(full.greeting.count == 2)
        let short = try RedisAddress("rediss://[::1]")
        #expect(short.endpoint == .host("::1", port: 6_379, isEncrypted: true))
        #expect(short.greeting.isEmpty)
        let path = try RedisAddress("unix:///run/redis.sock?db=2")
        #expect(path.endpoint == .path("/run/redis.sock") && path.database == 2)
        #expect(try RedisAddress("redis://:word@h").greeting.first?.count == 2)
    }

    @Test(arguments: [
        "", "redis", "http://a", "redis://", "redis://a:0", "redis://a:70000", "redis://a/x",
        "redis://a/-1", "unix://relative", "unix:///\(String(repeating: "a", count: 200))",
    ])
    func `what is no address is refused with the reason`(text: String) {
        let error = #expect(throws: RedisError.self) { try RedisAddress(text) }
        #expect(error?.description.hasSuffix(".") == true)
    }
}
