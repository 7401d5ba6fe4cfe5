import Foundation
import Glibc
import Kingfisher
import Testing

@testable import KingfisherRedis

/// The storage with several masters that have the keys between them.
@Suite(.timeLimit(.minutes(2)), .enabled(if: RedisServer.isInstalled))
struct RedisClusterTests {
    private static var quick: RedisSettings {
        var settings = RedisSettings()
        settings.longestBackOff = 0.02
        return settings
    }

    private static let names = (0..<300).map { "name \($0)" }

    private static func items(_ names: [String] = names) -> [SharedStorageItem] {
        names.map {
            SharedStorageItem(name: $0, value: Data($0.utf8), timeToLive: .seconds(60))
        }
    }

    private static func values(_ names: [String] = names) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) })
    }

    @Test func `values are spread over the masters, and found, leased and removed there`()
        async throws
    {
        let cluster = try await RedisCluster()
        let storage = try RedisImageStorage(cluster.addresses[0])
        try await storage.store(Self.items())
        #expect(try await storage.values(for: Self.names + ["none"]) == Self.values())
        var counts: [Int64] = []
        for index in 0..<3 {
            guard case .integer(let count) = try await cluster.run("DBSIZE", on: index) else {
                continue
            }
            counts.append(count)
        }
        #expect(counts.reduce(0, +) == 300 && counts.allSatisfy { $0 > 50 })
        for name in Self.names.prefix(20) {
            #expect(try await storage.acquireLease(of: name, token: "1", for: .seconds(60)))
            #expect(try await !storage.acquireLease(of: name, token: "2", for: .seconds(60)))
            try await storage.releaseLease(of: name, token: "1")
        }
        while storage.servers.masters.count != 3 { try Task.checkCancellation() }
        #expect(try await storage.values(for: Self.names) == Self.values())
        try await storage.remove(Self.names)
        #expect(try await storage.values(for: Self.names).isEmpty)
    }

    @Test func `a message reaches the users of every master`() async throws {
        let cluster = try await RedisCluster()
        let storages = try cluster.addresses.map { try RedisImageStorage($0) }
        let streams = storages.map { $0.messages() }
        // Until all have subscribed.
        let publishing = Task {
            while !Task.isCancelled {
                try? await storages[0].publish(Data([7]))
                await Task.yield()
            }
        }
        for stream in streams {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([7]))
        }
        publishing.cancel()
    }

    @Test func `a slot that moves to another master is followed`() async throws {
        let cluster = try await RedisCluster()
        let storage = try RedisImageStorage(cluster.addresses[0])
        let name = "moving"
        let old = try #require(try await cluster.owner(of: name))
        let new = (old + 1) % 3
        let slot = RedisSlots.slot(of: Data("kf:value:\(name)".utf8))
        let oldID = try await cluster.text("CLUSTER MYID", on: old)
        let newID = try await cluster.text("CLUSTER MYID", on: new)
        try await cluster.run("CLUSTER SETSLOT \(slot) IMPORTING \(oldID)", on: new)
        try await cluster.run("CLUSTER SETSLOT \(slot) MIGRATING \(newID)", on: old)
        // Missing keys are asked for at the new master, which has new ones.
        try await storage.store(Self.items([name]))
        #expect(try await storage.values(for: [name]) == Self.values([name]))
        #expect(try await cluster.run("CLUSTER COUNTKEYSINSLOT \(slot)", on: new) == .integer(1))
        for index in [new, old] {
            try await cluster.run("CLUSTER SETSLOT \(slot) NODE \(newID)", on: index)
        }
        #expect(try await storage.values(for: [name]) == Self.values([name]))
        try await storage.remove([name])
        #expect(try await cluster.run("CLUSTER COUNTKEYSINSLOT \(slot)", on: new) == .integer(0))
    }

    @Test func `without one master the values of the others are found`() async throws {
        let cluster = try await RedisCluster()
        let seeds = cluster.addresses.joined(separator: ",")
        let storage = try RedisImageStorage(seeds, settings: Self.quick)
        try await storage.store(Self.items())
        while storage.servers.masters.count != 3 { try Task.checkCancellation() }
        let map = try #require(try await cluster.slots(1))
        let lost = try RedisAddress(cluster.addresses[0])
        let kept = Self.names.filter { map.master(of: Data("kf:value:\($0)".utf8)) != lost }
        #expect(kept.count < 300)
        cluster.servers[0].stop()
        #expect(try await storage.values(for: Self.names) == Self.values(kept))
        await #expect(throws: RedisError.self) { try await storage.store(Self.items()) }
    }

    @Test func `a cluster is found by any of the addresses`() async throws {
        let cluster = try await RedisCluster()
        let seeds = "redis://127.0.0.1:1," + cluster.addresses[2]
        let storage = try RedisImageStorage(seeds, settings: Self.quick)
        while true {
            try Task.checkCancellation()
            if (try? await storage.store(Self.items())) != nil { break }
        }
        #expect(try await storage.values(for: Self.names) == Self.values())
    }

    @Test func `servers that send a key back and forth are an error`() async throws {
        let ports = (try FreePort.find(), try FreePort.find())
        let fakes = try [ports, (ports.1, ports.0)].map { own, other in
            try FakeServer(port: own) { connection in
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while true {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { return }
                    // Several commands may arrive together.
                    for byte in buffer[..<count] where byte == UInt8(ascii: "*") {
                        FakeServer.write("-MOVED 5 127.0.0.1:\(other)\r\n", to: connection)
                    }
                }
            }
        }
        let storage = try RedisImageStorage("redis://127.0.0.1:\(ports.0)", settings: Self.quick)
        for _ in 0..<3 {
            let error = await #expect(throws: RedisError.self) {
                try await storage.values(for: ["a"])
            }
            #expect(error?.description.contains("back and forth") == true)
        }
        withExtendedLifetime(fakes) {}
    }
}

/// The map of a cluster.
struct RedisSlotsTests {
    @Test func `the slot of a key is that of Redis`() {
        let slots = [
            ("123456789", 12_739), ("foo", 12_182), ("bar", 5_061), ("", 0),
            ("{user1000}.following", 3_443), ("{user1000}.followers", 3_443),
            ("x{foo}y{bar}", 12_182),
        ]
        for (key, slot) in slots { #expect(RedisSlots.slot(of: Data(key.utf8)) == slot) }
        // Nothing between the first braces: the whole key counts.
        #expect(RedisSlots.slot(of: Data("foo{}{bar}".utf8)) == 8_363)
        // Of a slice of other data, too.
        #expect(RedisSlots.slot(of: Data("xxfoo".utf8).dropFirst(2)) == 12_182)
    }

    private static func range(
        _ first: Int64,
        _ last: Int64,
        _ host: RedisReply,
        _ port: Int64
    ) -> RedisReply {
        .list([.integer(first), .integer(last), .list([host, .integer(port), .none])])
    }

    @Test func `a server without a name has that of the one that was asked`() throws {
        let asked = try RedisAddress("rediss://user:word@h:1")
        let reply = RedisReply.list([
            Self.range(0, 9, .none, 2), Self.range(10, 19, .bytes(Data()), 3),
            Self.range(20, 29, .bytes(Data("::1".utf8)), 4), Self.range(30, 39, .none, 2),
        ])
        let slots = try #require(RedisSlots(reply, from: asked))
        #expect(
            try slots.masters
                == ["h:2", "h:3", "[::1]:4"].map { try RedisAddress("rediss://user:word@\($0)") }
        )
        #expect(slots.master(of: Data("foo".utf8)) == nil)
    }

    @Test func `a map that makes no sense is none`() throws {
        let asked = try RedisAddress("redis://h:1")
        let good = RedisReply.bytes(Data("a".utf8))
        let broken: [RedisReply] = [
            .none, .error("ERR This instance has cluster support disabled"), .list([]),
            .list([.list([])]), .list([.list([.integer(0), .integer(1), .list([])])]),
            .list([Self.range(-1, 5, good, 1)]), .list([Self.range(5, 4, good, 1)]),
            .list([Self.range(0, 16_384, good, 1)]), .list([Self.range(0, .max, good, 1)]),
            .list([Self.range(0, 1, good, 0)]), .list([Self.range(0, 1, good, 65_536)]),
            .list([Self.range(0, 1, good, .min)]),
            .list((0..<300).map { Self.range($0, $0, good, $0 + 1) }),
        ]
        for reply in broken { #expect(RedisSlots(reply, from: asked) == nil) }
        let path = try RedisAddress("unix:///run/redis.sock")
        #expect(RedisSlots(.list([Self.range(0, 1, .none, 1)]), from: path) == nil)
    }

    @Test(arguments: [
        "MOVED", "MOVED 1", "MOVED 1 a", "MOVED 1 a:", "MOVED 1 a:0", "MOVED 1 a:65536",
        "MOVED 1 a:x", "MOVED 1 a:1 b", "MOVE 1 a:1", "ERR MOVED 1 a:1", "ASK 1 :",
    ])
    func `an error that names no server is no redirection`(text: String) throws {
        let asked = try RedisAddress("redis://h:1")
        #expect(RedisRedirection(.error(text), from: asked) == nil)
    }

    @Test func `a redirection names a server`() throws {
        let asked = try RedisAddress("redis://:word@h:1")
        let moved = try #require(RedisRedirection(.error("MOVED 3999 ::1:6381"), from: asked))
        #expect(moved.isLasting)
        #expect(try moved.address == RedisAddress("redis://:word@[::1]:6381"))
        let ask = try #require(RedisRedirection(.error("ASK 0 :2"), from: asked))
        #expect(!ask.isLasting)
        #expect(try ask.address == RedisAddress("redis://:word@h:2"))
    }
}
