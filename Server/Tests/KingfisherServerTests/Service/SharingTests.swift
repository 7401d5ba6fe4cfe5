import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(2)))
struct SharingTests {
    /// Two machines with one storage; the sources are asked through the same transport.
    private func machines(
        _ storage: InMemorySharedStorage = InMemorySharedStorage(),
        _ transport: FakeTransport,
        sourceDiskSize: Int = 0,
        _ body: @escaping @Sendable (TestService, TestService) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let change: @Sendable (String) -> (inout ServiceConfiguration) -> Void = { name in
            { configuration in
                configuration.caches.path = folder.appendingPathComponent(name).path
                configuration.caches.sourceDiskSize = sourceDiskSize
                configuration.caches.sourceSize = 0
                configuration.operation.adminToken = "token"
                configuration.responses.setsDebugFields = true
            }
        }
        try await TestService.run(change("a"), transport: transport, sharing: storage) {
            one async throws in
            try await TestService.run(change("b"), transport: transport, sharing: storage) {
                two async throws in
                try await body(one, two)
            }
        }
    }

    private let url = path(HostileClientTests.source.absoluteString, "w:10")

    @Test("A result that one machine has made is not made by another one")
    func shared() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        try await machines(InMemorySharedStorage(), transport) { [url] one, two async throws in
            let first = try await one.request(url)
            #expect(first.fields["x-cache"] == "none")
            await one.service.settle()
            let second = try await two.request(url)
            #expect(second.fields["x-cache"] == "disk")
            #expect(second.body == first.body)
            #expect(try await two.request(url).fields["x-cache"] == "memory")
            #expect(two.metric(#"kf_shared_storage_total{level="machines",outcome="hit"}"#) == 1)
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("A storage that fails repeatedly is reported as paused, and costs no result")
    func paused() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let storage = InMemorySharedStorage()
        try await machines(storage, transport) { one, two async throws in
            #expect(one.metric(#"kf_shared_storage_paused{level="machines"}"#) == 0)
            storage.faults.fails = true
            for width in 1...4 {
                let url = path(HostileClientTests.source.absoluteString, "w:\(width)")
                #expect(try await one.request(url).status == 200)
            }
            #expect(one.metric(#"kf_shared_storage_paused{level="machines"}"#) == 1)
            #expect(two.metric(#"kf_shared_storage_paused{level="machines"}"#) == 0)
        }
    }

    @Test("Another size is made from the source that another machine has loaded")
    func sources() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        try await machines(InMemorySharedStorage(), transport, sourceDiskSize: 1 << 30) {
            [url] one, two async throws in
            #expect(try await one.request(url).fields["x-cache"] == "none")
            await one.service.settle()
            let other = path(HostileClientTests.source.absoluteString, "w:20")
            #expect(try await two.request(other).fields["x-cache"] == "source")
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("A result that is removed on one machine is gone on all, from memory too")
    func removed() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        try await machines(InMemorySharedStorage(), transport) { [url] one, two async throws in
            for machine in [one, two] {
                _ = try await machine.request(url)
                await machine.service.settle()
            }
            #expect(try await two.request(url).fields["x-cache"] == "memory")
            let token = ["Authorization": "Bearer token"]
            #expect(try await one.request(url, method: "DELETE", token).status == 204)
            // The message reaches the other machine in the background.
            while try await two.request(url).fields["x-cache"] == "memory" { try await pause() }
        }
    }

    @Test("A result that another machine removes while it is made is not kept")
    func removedWhileMade() async throws {
        let transport = FakeTransport()
        let storage = InMemorySharedStorage()
        try await machines(storage, transport, sourceDiskSize: 1 << 30) {
            [url] one, two async throws in
            let client = try two.connect()
            client.send(url)
            await transport.started(1)
            let other = path("http://images.example/other.png", "w:10")
            let answer = FakeAnswer.data(ImageServiceTests.png, type: "image/png")
            transport.answerOthers(with: answer)
            _ = try await two.request(other)
            await two.service.settle()
            let token = ["Authorization": "Bearer token"]
            for removed in [url, other] {
                #expect(try await one.request(removed, method: "DELETE", token).status == 204)
            }
            // The messages arrive in order.
            while try await two.request(other).fields["x-cache"] == "memory" { try await pause() }
            try transport.transfer(0).complete(ImageServiceTests.png)
            #expect(try await client.reply().status == 200)
            await two.service.settle()
            for machine in [two, one] {
                #expect(try await machine.request(url).fields["x-cache"] == "none")
                #expect(try await one.request(url, method: "DELETE", token).status == 204)
            }
        }
    }

    @Test("Without a storage that works, each machine makes its own results")
    func dead() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let storage = InMemorySharedStorage()
        storage.faults.fails = true
        try await machines(storage, transport) { [url] one, two async throws in
            #expect(try await one.request(url).status == 200)
            #expect(try await two.request(url).status == 200)
            #expect(try await two.request(url).fields["x-cache"] == "memory")
        }
        #expect(transport.transfers.count == 2)
    }

    @Test("A result that must not be kept is sent to no storage")
    func unkept() async throws {
        let server = try ImageServiceTests.sources(["Cache-Control": "no-store"])
        defer { server.stop() }
        let storage = InMemorySharedStorage()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.caches.path = folder.path
            configuration.responses.setsDebugFields = true
        }
        try await TestService.run(change, sharing: storage) { test async throws in
            let url = path(server.url("/photo.png"), "w:10")
            for _ in 0..<2 {
                #expect(try await test.request(url).fields["x-cache"] == "none")
            }
        }
        #expect(storage.contents.isEmpty)
    }
}
