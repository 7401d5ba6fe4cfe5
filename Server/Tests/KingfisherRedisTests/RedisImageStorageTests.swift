import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherRedis

/// The storage with a real server.
@Suite(.timeLimit(.minutes(2)), .enabled(if: RedisServer.isInstalled))
struct RedisImageStorageTests {
    private static var quick: RedisSettings {
        var settings = RedisSettings()
        settings.longestBackOff = 0.02
        return settings
    }

    private func item(_ name: String, _ value: Data) -> SharedStorageItem {
        SharedStorageItem(name: name, value: value, timeToLive: .seconds(60))
    }

    /// Repeats a request until the server answers.
    private func answered<Value>(_ request: () async throws -> Value) async throws -> Value {
        while true {
            try Task.checkCancellation()
            if let value = try? await request() { return value }
            await Task.yield()
        }
    }

    @Test func `values are stored, found and removed`() async throws {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url)
        let large = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let odd = Data("*3\r\n$-1\r\n\0".utf8)
        try await storage.store([item("a", odd), item("b", large), item("c", Data([1]))])
        #expect(try await storage.values(for: ["a", "x", "b"]) == ["a": odd, "b": large])
        try await storage.remove(["a", "x"])
        #expect(try await storage.values(for: ["a", "b", "c"]).keys.sorted() == ["b", "c"])
        #expect(try await storage.values(for: []).isEmpty)
        try await storage.store([])
        try await storage.remove([])
    }

    @Test func `values and leases end by themselves`() async throws {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url)
        let client = try RedisClient(try RedisAddress(server.url), RedisSettings())
        defer { client.close() }
        try await storage.store([
            SharedStorageItem(name: "a", value: Data([1]), timeToLive: .seconds(100)),
            SharedStorageItem(name: "b", value: Data([1]), timeToLive: .seconds(Int64.max)),
        ])
        #expect(try await storage.acquireLease(of: "a", token: "t", for: .milliseconds(1_500)))
        let names = ["kf:value:a", "kf:lease:a", "kf:value:b"]
        let replies = try await client.run(names.map { [Data("PTTL".utf8), Data($0.utf8)] })
        let times = replies.map { if case .integer(let time) = $0 { time } else { -1 as Int64 } }
        #expect((1...100_000).contains(times[0]))
        #expect((1...1_500).contains(times[1]))
        #expect(times[2] > 900_000_000_000)
    }

    @Test func `a lease belongs to its token`() async throws {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url)
        #expect(try await storage.acquireLease(of: "a", token: "1", for: .seconds(60)))
        #expect(try await !storage.acquireLease(of: "a", token: "2", for: .seconds(60)))
        try await storage.releaseLease(of: "a", token: "2")
        #expect(try await !storage.acquireLease(of: "a", token: "2", for: .seconds(60)))
        try await storage.releaseLease(of: "a", token: "1")
        #expect(try await storage.acquireLease(of: "a", token: "2", for: .seconds(60)))
    }

    @Test func `messages reach all users of the prefix`() async throws {
        let server = try RedisServer()
        var other = RedisSettings()
        other.prefix = "other:"
        let storages = [
            try RedisImageStorage(server.url), try RedisImageStorage(server.url),
            try RedisImageStorage(server.url, settings: other),
        ]
        let streams = storages.map { $0.messages() }
        let client = try RedisClient(try RedisAddress(server.url), RedisSettings())
        defer { client.close() }
        // Until all have subscribed.
        let count = ["PUBSUB", "NUMSUB", "kf:messages", "other:messages"].map { Data($0.utf8) }
        while true {
            guard case .list(let parts)? = try await client.run([count]).first else { continue }
            if parts[1] == .integer(2), parts[3] == .integer(1) { break }
        }
        try await storages[2].publish(Data("o".utf8))
        try await storages[0].publish(Data("m".utf8))
        for (stream, expected) in zip(streams, ["m", "m", "o"]) {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data(expected.utf8))
        }
    }

    @Test func `a thousand reads at once use one connection`() async throws {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url)
        try await storage.store((0..<1_000).map { item("\($0)", Data("\($0)".utf8)) })
        let right = try await withThrowingTaskGroup { group in
            for index in 0..<1_000 {
                group.addTask {
                    try await storage.values(for: ["\(index)"])
                        == ["\(index)": Data("\(index)".utf8)]
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 1_000)
        let client = try RedisClient(try RedisAddress(server.url), RedisSettings())
        defer { client.close() }
        let info = try await client.run([[Data("CLIENT".utf8), Data("LIST".utf8)]])
        guard case .bytes(let list)? = info.first else {
            Issue.record("no list")
            return
        }
        #expect(list.split(separator: UInt8(ascii: "\n")).count == 2)
    }

    @Test func `after a restart of the server the storage works again`() async throws {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url, settings: Self.quick)
        var messages = storage.messages().makeAsyncIterator()
        try await storage.store([item("a", Data([1]))])
        for _ in 0..<3 {
            server.stop()
            await #expect(throws: RedisError.self) { try await storage.values(for: ["a"]) }
            try server.start()
            #expect(try await answered { try await storage.values(for: ["a"]) }.isEmpty)
            try await storage.store([item("a", Data([2]))])
            #expect(try await storage.values(for: ["a"]) == ["a": Data([2])])
        }
        // The subscription returns too.
        let isReceived = Task {
            while !Task.isCancelled {
                try? await storage.publish(Data([7]))
                await Task.yield()
            }
        }
        #expect(await messages.next() == Data([7]))
        isReceived.cancel()
    }

    @Test func `a server that is not there costs nothing, and may come later`() async throws {
        let server = try RedisServer()
        server.stop()
        let storage = try RedisImageStorage(server.url, settings: Self.quick)
        await #expect(throws: RedisError.self) { try await storage.values(for: ["a"]) }
        try server.start()
        _ = try await answered { try await storage.values(for: ["a"]) }
    }

    @Test func `a password and a database are used`() async throws {
        let server = try RedisServer(["--requirepass", "se:cret@/1"])
        let path = server.socket
        let storage = try RedisImageStorage("unix://:se%3Acret%40%2F1@\(path)?db=3")
        try await storage.store([item("a", Data([1]))])
        #expect(try await storage.values(for: ["a"]).count == 1)
        let other = try RedisImageStorage("unix://:se%3Acret%40%2F1@\(path)?db=4")
        #expect(try await other.values(for: ["a"]).isEmpty)
    }

    @Test func `a wrong password is logged once, without it, and requests fail at once`()
        async throws
    {
        let server = try RedisServer(["--requirepass", "right"])
        let path = server.socket
        let recorded = Mutex<[String]>([])
        let address = try RedisAddress("unix://:wrong-one@\(path)")
        let log = RedisLog(
            warning: { line in recorded.withLock { $0.append(line) } },
            info: { _ in }
        )
        let client = try RedisClient(address, Self.quick, log: log)
        defer { client.close() }
        for _ in 0..<200 {
            await #expect(throws: RedisError.self) { try await client.run([[Data("PING".utf8)]]) }
        }
        let lines = recorded.withLock { $0 }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("refused the connection") == true)
        #expect(lines.first?.contains("wrong-one") == false)
    }

    @Test func `a cancelled request ends at once, and later ones get their own replies`()
        async throws
    {
        let server = try RedisServer()
        let storage = try RedisImageStorage(server.url)
        try await storage.store((0..<50).map { item("\($0)", Data("\($0)".utf8)) })
        for index in 0..<50 {
            let read = Task { try await storage.values(for: ["\(index)"]) }
            if index % 2 == 0 { read.cancel() }
            if let found = try? await read.value {
                #expect(found == ["\(index)": Data("\(index)".utf8)])
            }
        }
    }

    @Test func `with TLS the server's certificate is checked`() async throws {
        let folder = try TemporaryFolder()
        let (key, certificate) = ("\(folder.path)/key", "\(folder.path)/cert")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", key, "-out", certificate, "-subj", "/CN=test", "-addext",
            "subjectAltName=IP:127.0.0.1", "-days", "2",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let port = try FreePort.find()
        let server = try RedisServer([
            "--port", "0", "--tls-port", "\(port)", "--bind", "127.0.0.1", "--tls-cert-file",
            certificate, "--tls-key-file", key, "--tls-auth-clients", "no",
        ])
        var settings = Self.quick
        settings.certificateFile = certificate
        let storage = try RedisImageStorage("rediss://127.0.0.1:\(port)", settings: settings)
        let large = Data(count: 3_000_000)
        try await storage.store([item("a", large)])
        #expect(try await storage.values(for: ["a"]) == ["a": large])
        // Without the file the certificate is unknown; unless that does not matter.
        let unknown = try RedisImageStorage("rediss://127.0.0.1:\(port)", settings: Self.quick)
        await #expect(throws: RedisError.self) { try await unknown.values(for: ["a"]) }
        var trusting = Self.quick
        trusting.verifiesCertificate = false
        let any = try RedisImageStorage("rediss://127.0.0.1:\(port)", settings: trusting)
        #expect(try await any.values(for: ["a"]).count == 1)
        let plain = try RedisImageStorage("redis://127.0.0.1:\(port)", settings: Self.quick)
        await #expect(throws: RedisError.self) { try await plain.values(for: ["a"]) }
        withExtendedLifetime(server) {}
    }

    @Test func `machines share images by Redis`() async throws {
        let server = try RedisServer()
        let url = try #require(URL(string: "https://example.com/a.png"))
        let benches = [try ImageTestBench(), try ImageTestBench(), try ImageTestBench()]
        var settings = SharedStorageSettings()
        settings.timeout = .seconds(60)
        for bench in benches {
            bench.transport.answer(url, with: .picture(.solid(.red)))
            bench.cache.useSharedStorage(try RedisImageStorage(server.url), settings: settings)
        }
        _ = try await benches[0].load(url)
        await benches[0].cache.flush()
        #expect(try await benches[1].load(url).cacheType == .disk)
        #expect(try await benches[2].load(url).cacheType == .disk)
        #expect(benches[1].transport.requests.isEmpty)
        try await benches[0].cache.removeImage(forKey: url.cacheKey)
        await benches[0].cache.flush()
        while benches[1].cache.sharedStorageStatistics?.invalidations == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(!benches[1].cache.isCached(forKey: url.cacheKey))
    }
}
