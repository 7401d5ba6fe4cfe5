import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// How sources are loaded and kept.
@Suite(.timeLimit(.minutes(2)))
struct SourceTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)

    private func onDisk(_ configuration: inout ServiceConfiguration) {
        configuration.caches.path = folder.path
        configuration.operation.adminToken = "token"
        configuration.responses.setsDebugFields = true
    }

    @Test("Sizes of one source that are asked for at once need one download")
    func sizes() async throws {
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            let clients = try (1...10).map { width in
                let client = try test.connect()
                client.send(path(HostileClientTests.source.absoluteString, "w:\(width)"))
                return client
            }
            while test.metric("kf_source_waits_total") != 10 { try await pause() }
            try transport.transfer(0).complete(ImageServiceTests.png)
            for client in clients { #expect(try await client.reply().status == 200) }
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("A source outlives the service on disk, and its server is asked when it is old")
    func kept() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try LoopbackServer { path, request in
            guard path == "/old.png" else {
                return LoopbackServer.Answer(contentType: "image/png", body: ImageServiceTests.png)
            }
            let isKnown = request["if-none-match"] == "\"v1\""
            var answer = LoopbackServer.Answer(
                status: isKnown ? 304 : 200,
                contentType: "image/png",
                body: isKnown ? Data() : ImageServiceTests.png
            )
            answer.headers = ["ETag": "\"v1\"", "Age": "1000", "X-Author": "me"]
            return answer
        }
        defer { server.stop() }
        let names = ["/new.png", "/old.png"]
        for (width, origin) in [(10, "none"), (20, "source")] {
            try await TestService.run { configuration in
                onDisk(&configuration)
                configuration.sources.responseHeaders = ["X-Author"]
            } _: { test async throws in
                for name in names {
                    let reply = try await test.request(path(server.url(name), "w:\(width)"))
                    #expect(reply.status == 200)
                    #expect(reply.fields["x-cache"] == origin, "\(name)")
                    #expect(reply.fields["x-author"] == (name == "/old.png" ? "me" : nil))
                }
                await test.service.settle()
            }
        }
        #expect(server.requests == ["/new.png", "/old.png", "/old.png"])
    }

    @Test("A removed source is loaded again, from memory and from disk", arguments: [true, false])
    func removed(isOnDisk: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            onDisk(&configuration)
            if !isOnDisk { configuration.caches.path = nil }
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let source = HostileClientTests.source.absoluteString
            for (width, origin) in [(10, "none"), (20, "source")] {
                let reply = try await test.request(path(source, "w:\(width)"))
                #expect(reply.fields["x-cache"] == origin)
                await test.service.settle()
            }
            let token = ["Authorization": "Bearer token"]
            let url = path(source, "w:10")
            #expect(try await test.request(url, method: "DELETE", token).status == 204)
            #expect(try await test.request(path(source, "w:30")).fields["x-cache"] == "none")
        }
        #expect(transport.transfers.count == 2)
    }

    @Test("A host whose name does not resolve is not looked up for every request")
    func unresolvedHosts() async throws {
        let transport = FakeTransport()
        let lost = try #require(URL(string: "http://lost.example/a.png"))
        let other = try #require(URL(string: "http://other.example/a.png"))
        transport.answerOthers(with: .failure(.cannotResolve(host: "lost.example", url: lost)))
        transport.answer(other, with: .data(ImageServiceTests.png, type: "image/png"))
        try await TestService.run(transport: transport) { test async throws in
            for url in [lost.absoluteString, "http://LOST.example/b.png"] {
                #expect(try await test.request(path(url, "w:10")).status == 502)
            }
            #expect(try await test.request(path(other.absoluteString, "w:10")).status == 200)
        }
        #expect(transport.requests.compactMap(\.url) == [lost, other])
    }

    @Test("A kept source is used while the name of its host does not resolve")
    func keptSourceOfUnresolvedHost() async throws {
        let transport = FakeTransport()
        let kept = try #require(URL(string: "http://lost.example/a.png"))
        let new = try #require(URL(string: "http://lost.example/b.png"))
        transport.answer(kept, with: .data(ImageServiceTests.png, type: "image/png"))
        transport.answer(new, with: .failure(.cannotResolve(host: "lost.example", url: new)))
        try await TestService.run(transport: transport) { test async throws in
            for (url, width, status) in [(kept, 10, 200), (new, 10, 502), (kept, 20, 200)] {
                let reply = try await test.request(path(url.absoluteString, "w:\(width)"))
                #expect(reply.status == status)
            }
        }
    }

    @Test("Misses of sources are counted by layer and reason")
    func misses() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let url = path(HostileClientTests.source.absoluteString, "w:10")
        for isOnDisk in [false, true] {
            let change: (inout ServiceConfiguration) -> Void = { if isOnDisk { onDisk(&$0) } }
            try await TestService.run(change, transport: transport) { test async throws in
                _ = try await test.request(url)
                for name in ["memory", "disk"] {
                    let labels = "{layer=\"\(name)\",reason=\"never_stored\"}"
                    let count = test.metric("kf_source_cache_misses_total\(labels)")
                    #expect(count == (name == "memory" || isOnDisk ? 1 : 0), "\(name)")
                }
            }
        }
    }

    @Test("A passed lifetime ends with the URL, and counts from the source's response")
    func lifetimes() async throws {
        let server = try ImageServiceTests.sources([
            "Cache-Control": "max-age=5000", "Age": "1000",
        ])
        defer { server.stop() }
        try await TestService.run { configuration in
            configuration.responses.passesCacheControl = true
        } _: { test async throws in
            let source = server.url("/photo.png")
            let plain = try await test.request(path(source, "w:10"))
            #expect(plain.fields["cache-control"] == "max-age=5000")
            let age = try #require(plain.fields["age"].flatMap { Int($0) })
            #expect((1000..<1100).contains(age))
            let end = Int(Date().timeIntervalSince1970) + 2000
            let expiring = try await test.request(path(source, "w:10/exp:\(end)"))
            let control = try #require(expiring.fields["cache-control"])
            let match = try #require(control.wholeMatch(of: #/max-age=(\d+), public/#))
            #expect(Int(match.1).map { $0 <= 2000 && $0 > 1000 } == true)
            #expect(expiring.fields["age"] == nil)
        }
    }

    @Test(
        "No lifetime and age of a source end the service",
        arguments: [
            (Int.max, -1, "max-age=\(Int.max)"), (.max, .min, "max-age=\(Int.max)"),
            (.min, .max, "max-age=\(Int.min)"),
        ]
    )
    func hugeLifetimes(_ lifetime: Int, _ age: Int, _ expected: String) async throws {
        let transport = AnsweringTransport { _ in
            var answer = AnsweringTransport.Answer.image()
            answer.fields["Cache-Control"] = "max-age=\(lifetime)"
            answer.fields["Age"] = "\(age)"
            return answer
        }
        let change: (inout ServiceConfiguration) -> Void = {
            $0.responses.passesCacheControl = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            for _ in 0..<2 {
                let reply = try await test.request(path(HostileClientTests.source.absoluteString))
                #expect(reply.status == 200)
                #expect(reply.fields["cache-control"] == expected)
            }
        }
    }

    @Test("An animation whose other frames are dropped is a still, also when formats are chosen")
    func stills() async throws {
        let gif = try TestAnimation.gif(frames: 4)
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/gif", body: gif)
        }
        defer { server.stop() }
        for (frames, type) in [(1, "image/avif"), (10, "image/gif")] {
            try await TestService.run { configuration in
                configuration.negotiation.prefersAVIF = true
                configuration.processing.maximalAnimationFrames = frames
            } _: { test async throws in
                let reply = try await test.request(
                    path(server.url("/a.gif"), "w:10"),
                    ["Accept": "image/avif,*/*"]
                )
                #expect(reply.fields["content-type"] == type)
            }
        }
    }

    @Test("A server that cannot be reached is 502, for whatever reason, and asked again")
    func unreachable() async throws {
        let url = HostileClientTests.source
        let errors: [TransferError] = [
            // The end of a redirect; the host of the source itself is not asked again at once.
            .cannotResolve(host: "end.example", url: url),
            .cannotConnect(host: "images.example", reason: "refused", url: url),
            .notConnected(host: "images.example", url: url),
        ]
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            for error in errors {
                transport.answerOthers(with: .failure(error))
                #expect(try await test.request(path(url.absoluteString)).status == 502)
            }
            transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
            #expect(try await test.request(path(url.absoluteString)).status == 200)
        }
    }

    @Test("A URL that leads back to the service ends after few levels")
    func loop() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run { configuration in
            // On a busy machine the levels take their time.
            configuration.connections.timeout = .seconds(60)
            configuration.sources.timeout = .seconds(60)
        } _: { test async throws in
            func nested(_ levels: Int) -> String {
                let start = "/_/w:10/plain/http://127.0.0.1:\(test.port)"
                return String(repeating: start, count: levels) + path(server.url("/photo.png"))
            }
            #expect(try await test.request(nested(2)).status == 200)
            #expect(try await test.request(nested(100)).status == 502)
            #expect(test.metric(#"kf_requests_total{status="508"}"#) == 1)
            #expect(test.metric(#"kf_requests_total{status="502"}"#) == 3)
        }
    }

    @Test("Paths of different bytes are different, also where Unicode counts them as equal")
    func normalisation() throws {
        let reader = PathReader(GrammarSettings(), NegotiationSettings())
        let composed = "/_/plain/http://a/\u{E9}.png"
        let decomposed = "/_/plain/http://a/e\u{301}.png"
        #expect(composed == decomposed)
        let sources = try [composed, decomposed].map { try reader.request($0).source.description }
        #expect(Array(sources[0].utf8) != Array(sources[1].utf8))
    }

    @Test("Requests for one local file hold its bytes once, until it changes")
    func heldOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a")
        try Data(repeating: 1, count: 100_000).write(to: path)
        let local = try #require(LocalSources(root: folder.path, maximalSize: 1 << 20))
        let first = try await local.file(at: "a", key: "one")
        let second = try await local.file(at: "a", key: "two")
        let addresses = [first, second].map { file in
            file.data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(addresses[0] == addresses[1])
        #expect(first.data == second.data)
        try Data(repeating: 2, count: 100_001).write(to: path)
        let third = try await local.file(at: "a", key: "one")
        #expect(third.data == Data(repeating: 2, count: 100_001))
        #expect(second.data.count == 100_000)
    }

    @Test("Failures of sources with long addresses are remembered within 4 MiB")
    func longAddresses() {
        let failures = RecentFailures(seconds: 600)
        let error = ServiceError(404, "The source was not found", "Check its address")
        let keys = (0..<1000).map { "\($0)" + String(repeating: "x", count: 16 << 10) }
        for key in keys { failures.add(error, for: key) }
        let known = keys.count { failures[$0] != nil }
        #expect((1...256).contains(known), "\(known)")
    }
}
