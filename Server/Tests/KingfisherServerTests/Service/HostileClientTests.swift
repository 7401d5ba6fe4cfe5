import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(2)))
struct HostileClientTests {
    static let source = URL(string: "http://images.example/a.png") ?? URL(fileURLWithPath: "/")

    @Test("When a client leaves, the download for it ends")
    func leaving() async throws {
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            let client = try test.connect()
            client.send(path(Self.source.absoluteString))
            await transport.started(1)
            client.close()
            // The cancellation comes by way of the event loop.
            while try !transport.transfer(0).isCancelled { try await pause() }
            while test.metric(#"kf_requests_total{status="499"}"#) != 1 { try await pause() }
        }
    }

    @Test("A download goes on as long as one client waits for it")
    func staying() async throws {
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            let one = try test.connect()
            let two = try test.connect()
            one.send(path(Self.source.absoluteString, "w:10"))
            await transport.started(1)
            two.send(path(Self.source.absoluteString, "w:20"))
            while test.metric("kf_source_waits_total") != 2 { try await pause() }
            one.close()
            while test.metric(#"kf_requests_total{status="499"}"#) != 1 { try await pause() }
            #expect(try !transport.transfer(0).isCancelled)
            try transport.transfer(0).complete(ImageServiceTests.png)
            #expect(try await two.reply().status == 200)
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("Requests beyond the queue get 429 and when to come back")
    func queue() async throws {
        let transport = FakeTransport()
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.operation.workers = 1
            configuration.operation.queueSize = 1
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let clients = try (0..<2).map { _ in try test.connect() }
            for (number, client) in clients.enumerated() {
                client.send(path("http://\(number).example/a.png"))
            }
            await transport.started(2)
            let reply = try await test.request(path("http://1.example/b.png"))
            #expect(reply.status == 429)
            #expect(reply.fields["retry-after"] == "1")
            for transfer in transport.transfers { transfer.complete(ImageServiceTests.png) }
            for client in clients { #expect(try await client.reply().status == 200) }
        }
    }

    @Test("A request that takes too long gets 504, and its download ends")
    func timeout() async throws {
        let transport = FakeTransport()
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.connections.timeout = .milliseconds(50)
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let reply = try await test.request(path(Self.source.absoluteString))
            #expect(reply.status == 504)
            while !transport.transfers.allSatisfy(\.isCancelled) { try await pause() }
        }
    }

    @Test("A client that sends its head slowly is disconnected")
    func slowHead() async throws {
        try await disconnected(\.readTimeout) { client async throws in
            client.sendRaw("GET /health HTTP/1.1\r\nX-Slow: ")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("A client that reads nothing holds neither a worker nor its result")
    func slowReader() async throws {
        let transport = FakeTransport()
        // More than the kernel keeps for a connection.
        let large = ImageServiceTests.png + Data(count: 32 << 20)
        transport.answerOthers(with: .data(large, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.connections.writeTimeout = .milliseconds(200)
            configuration.operation.workers = 1
            configuration.caches.memorySize = 0
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let client = try test.connect()
            client.send(path(Self.source.absoluteString, "raw:1"))
            while test.metric(#"kf_requests_total{status="200"}"#) != 1 { try await pause() }
            #expect(test.metric("kf_running") == 0)
            #expect(test.metric("kf_queue_length") == 0)
            while test.service.connections.count > 0 { try await pause() }
            let other = path("\(Self.source.absoluteString)?2", "w:10")
            #expect(try await test.request(other).status == 200)
            client.close()
        }
    }

    @Test("A connection without requests is closed")
    func idle() async throws {
        try await disconnected(\.keepAliveTimeout) { client async throws in
            client.send("/health")
            #expect(try await client.reply().status == 200)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test(
        "A connection ends with the response if its client expects that",
        arguments: [
            "HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n",
            "HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n",
            "HTTP/1.1\r\nHost:\r\nConnection: x, close\r\n",
        ]
    )
    func lastRequest(_ end: String) async throws {
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.connections.keepAliveTimeout = .seconds(600)
        }
        try await TestService.run(change) { test async throws in
            let client = try test.connect()
            client.sendRaw("GET /health \(end)\r\n")
            #expect(try await client.untilClosed().hasSuffix("\r\n\r\nok\n"))
        }
    }

    @Test(
        "A request of HTTP/1.1 without one field Host is 400, and its connection ends",
        arguments: ["", "Host: a\r\nHost: a\r\n", "Host: a\r\nX-A: b\r\nhost:\r\n"]
    )
    func hosts(_ fields: String) async throws {
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.connections.keepAliveTimeout = .seconds(600)
        }
        try await TestService.run(change) { test async throws in
            let client = try test.connect()
            client.sendRaw("GET /health HTTP/1.1\r\n\(fields)\r\n")
            #expect(try await client.untilClosed().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("A client that never ends its body is disconnected")
    func endlessBody() async throws {
        try await disconnected(\.readTimeout) { client async throws in
            client.sendRaw("GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nx")
            // On a busy machine the time may be over before the answer is made.
            let text = try await client.untilClosed()
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 200"))
        }
    }

    /// Runs a client that the service disconnects because of a short limit.
    private func disconnected(
        _ limit: any WritableKeyPath<ServiceConfiguration.Connections, Duration> & Sendable,
        _ body: @escaping @Sendable (RawClient) async throws -> Void
    ) async throws {
        try await TestService.run { configuration in
            configuration.connections[keyPath: limit] = .milliseconds(200)
        } _: { test async throws in
            try await body(try test.connect())
            while test.service.connections.count > 0 { try await pause() }
        }
    }

    @Test("Clients beyond the limit wait until another one has left")
    func clients() async throws {
        try await TestService.run { configuration in
            configuration.connections.maximalClients = 1
        } _: { test async throws in
            let one = try test.connect()
            one.send("/health")
            #expect(try await one.reply().status == 200)
            let two = try test.connect()
            two.send("/health")
            #expect(test.service.connections.count == 1)
            one.close()
            #expect(try await two.reply().status == 200)
        }
    }

    @Test(
        "Hostile paths get an error, and the next request an answer",
        arguments: [
            "/", "//", "/%", "/unsafe/plain/", "/unsafe/plain/%00", "/unsafe/plain/%ff%fe",
            "/unsafe/plain/http://a%0d%0aX-Evil:%201/", "/unsafe/plain/file:///etc/passwd",
            "/unsafe/plain/http://", "/unsafe/fn:a%0d%0aX-Evil:%201/plain/http://127.0.0.1:1/",
            "/unsafe/rs:fill:99999999999999999999:1/plain/http://127.0.0.1:1/",
            "/unsafe/w:-1/plain/http://127.0.0.1:1/", "/unsafe/" + "w:1/".repeated(200),
            "/" + "a".repeated(20_000), "/unsafe/plain/" + "%41".repeated(5000),
            "/../../etc/passwd", "/unsafe/info/", "/metrics/../health", "*",
        ]
    )
    func paths(path: String) async throws {
        try await TestService.run { test async throws in
            let reply = try await test.request(path)
            #expect(path == "/" || (400..<500).contains(reply.status), "\(reply.head)")
            #expect(!reply.head.lowercased().contains("x-evil"))
            #expect(try await test.request("/health").status == 200)
        }
    }

    @Test("A path of 100 KB, raw bytes and broken heads end their own connection only")
    func brokenHeads() async throws {
        try await TestService.run { test async throws in
            let heads: [[UInt8]] = [
                Array("GET /\("a".repeated(100_000)) HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
                Array("GET /".utf8) + [0xFF, 0xFE, 0x00] + Array(" HTTP/1.1\r\n\r\n".utf8),
                Array("\r\n\r\nnonsense\r\n\r\n".utf8), [0x16, 3, 1, 0, 200, 1, 0, 0, 196],
                Array("GET / HTTP/1.1\r\n\("X-A: b\r\n".repeated(1000))\r\n".utf8),
                Array("GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n".utf8),
            ]
            for head in heads {
                let client = try test.connect()
                client.sendRaw(head)
                let text = try await client.untilClosed()
                #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400"), "\(text.prefix(100))")
            }
            #expect(try await test.request("/health").status == 200)
        }
    }

    @Test("File names from URLs cannot add a field")
    func fileNames() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run { test async throws in
            let name = "a%22%3B%20X-Evil%3A%201%20%C3%BC"
            let url = "/unsafe/w:10/fn:\(name)/att:1/plain/\(server.url("/photo.png"))"
            let reply = try await test.request(url)
            #expect(reply.status == 200)
            #expect(reply.fields["x-evil"] == nil)
            let disposition = try #require(reply.fields["content-disposition"])
            let start = #"attachment; filename="a_; X-Evil: 1 _.png"; filename*=UTF-8''"#
            #expect(disposition == start + "a%22%3B%20X-Evil%3A%201%20%C3%BC.png")
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
