import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

/// Sources that are slow or large, and images in place of those that fail.
@Suite(.timeLimit(.minutes(1)))
struct SlowSourceTests {
    private func slow(_ number: Int) -> String { path("http://slow.example/\(number).png") }

    private let png = FakeAnswer.data(ImageServiceTests.png, type: "image/png")

    @Test("A server that never answers leaves places for the sources of others")
    func slowHost() async throws {
        let transport = FakeTransport()
        let other = try #require(URL(string: "http://other.example/a.png"))
        transport.answer(other, with: png)
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.operation.workers = 1
            configuration.operation.queueSize = 7
            configuration.responses.fallbackData = ImageServiceTests.png
        }
        try await TestService.run(change, transport: transport) { test async throws in
            var clients: [RawClient] = []
            for number in 0..<8 {
                clients.append(try test.connect())
                clients[number].send(slow(number))
                while test.metric("kf_queue_length") != Double(number + 1) { try await pause() }
            }
            #expect(try await test.request(slow(8)).status == 429)
            #expect(try await test.request(path(other.absoluteString)).status == 200)
            let displaced = try await clients[7].reply()
            #expect(displaced.status == 503)
            #expect(displaced.fields["retry-after"] == "1")
            for client in clients { client.close() }
        }
    }

    @Test("Requests load only as many sources as they may hold together")
    func bytes() async throws {
        let transport = FakeTransport()
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.operation.loadedSourceSize = 16 << 20
            configuration.caches.sourceSize = 0
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let clients = try (0..<5).map { number in
                let client = try test.connect()
                client.send(path("http://\(number).example/a.png"))
                return client
            }
            while test.metric("kf_queue_length") != 5 { try await pause() }
            for number in 0..<5 {
                await transport.started(number + 1)
                #expect(transport.transfers.count <= number + 2)
                try transport.transfer(number).complete(ImageServiceTests.png)
            }
            for client in clients { #expect(try await client.reply().status == 200) }
        }
    }

    @Test("A fallback is drawn once for each size and kept", arguments: [true, false])
    func fallback(isConfigured: Bool) async throws {
        let transport = FakeTransport()
        let own = try #require(URL(string: "http://fallback.example/a.png"))
        transport.answer(own, with: png)
        transport.answerOthers(with: .data(Data(), type: "text/plain", status: 404))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.responses.fallbackData = isConfigured ? ImageServiceTests.png : nil
            configuration.responses.fallbackURL = own
        }
        try await TestService.run(change, transport: transport) { test async throws in
            for number in 0..<3 {
                let reply = try await test.request(slow(number))
                #expect(reply.status == 200)
                #expect(reply.fields["content-type"] == "image/png")
            }
            #expect(test.metric(#"kf_stage_duration_seconds_count{stage="processing"}"#) == 1)
            #expect(test.metric("kf_result_memory_bytes") ?? 0 > 0)
        }
    }

    @Test("A request whose fallback does not come either gets the error in time")
    func slowFallback() async throws {
        let transport = FakeTransport()
        transport.answer(
            try #require(URL(string: "http://slow.example/0.png")),
            with: .data(Data(), type: "text/plain", status: 404)
        )
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.connections.timeout = .milliseconds(50)
            configuration.responses.fallbackURL = URL(string: "http://fallback.example/a.png")
        }
        try await TestService.run(change, transport: transport) { test async throws in
            #expect([404, 504].contains(try await test.request(slow(0)).status))
            while test.metric("kf_queue_length") != 0 { try await pause() }
        }
    }

    @Test("That a source was missing before a removal is not remembered after it")
    func missing() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let server = try LoopbackServer { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number == 1 else {
                return LoopbackServer.Answer(contentType: "image/png", body: ImageServiceTests.png)
            }
            ask.yield()
            gate.wait()
            return LoopbackServer.Answer(status: 404)
        }
        defer { server.stop() }
        let change: (inout ServiceConfiguration) -> Void = { $0.operation.adminToken = "token" }
        try await TestService.run(change) { test async throws in
            let url = path(server.url("/a.png"), "w:10")
            let client = try test.connect()
            client.send(url)
            for await _ in asked { break }
            let token = ["Authorization": "Bearer token"]
            #expect(try await test.request(url, method: "DELETE", token).status == 204)
            gate.signal()
            #expect(try await client.reply().status == 404)
            #expect(try await test.request(url).status == 200)
        }
    }
}
