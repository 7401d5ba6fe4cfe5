import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `DELETE` of an image's path removes.
@Suite(.timeLimit(.minutes(2)))
struct RemovalTests {
    private static let source = HostileClientTests.source.absoluteString
    private static let token = ["Authorization": "Bearer token"]

    private static func configure(_ configuration: inout ServiceConfiguration) {
        configuration.operation.adminToken = "token"
        configuration.responses.setsDebugFields = true
        configuration.negotiation.prefersWebP = true
        configuration.negotiation.enforcesAVIF = true
    }

    @Test(
        "Results are removed in whatever order clients prefer the formats",
        arguments: [
            "", "image/webp", "image/avif", "image/avif,image/webp",
            "image/webp,image/avif;q=0.5", "image/avif,image/webp;q=0.5,*/*;q=0.1",
        ]
    )
    func formats(_ accept: String) async throws {
        let transport = AnsweringTransport { _ in .image() }
        try await TestService.run(Self.configure, transport: transport) { test async throws in
            let url = path(Self.source, "w:10")
            _ = try await test.request(url, ["Accept": accept])
            #expect(try await test.request(url, method: "DELETE", Self.token).status == 204)
            let reply = try await test.request(url, ["Accept": accept])
            #expect(reply.fields["x-cache"] == "none")
        }
    }

    @Test("The variants of a request are all selections of formats in all orders")
    func variants() throws {
        var settings = NegotiationSettings()
        settings.automatic = [.webp, .avif, .jxl]
        settings.writable = [.webp, .avif, .jxl, .png, .jpeg]
        let reader = PathReader(GrammarSettings(), settings)
        let variants = reader.variants(of: try reader.request(path(Self.source)))
        #expect(Set(variants.map(\.automatic)).count == 16)
        #expect(variants.count == 16)
    }

    @Test("The fallback is loaded again after a removal", arguments: [true, false])
    func fallback(isNamed: Bool) async throws {
        let fallback = try #require(URL(string: "http://images.example/fallback.png"))
        let transport = AnsweringTransport { $0.url == fallback ? .image() : .status(404) }
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            Self.configure(&configuration)
            if !isNamed { configuration.responses.fallbackURL = fallback }
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let named = "/fiu:\(Base64URL.encoded(fallback.absoluteString.utf8))"
            let url = path(Self.source, "w:10\(isNamed ? named : "")")
            for _ in 0..<2 {
                for _ in 0..<2 { #expect(try await test.request(url).status == 200) }
                #expect(try await test.request(url, method: "DELETE", Self.token).status == 204)
            }
        }
        #expect(transport.requests.count { $0.url == fallback } == 2)
    }

    /// The file after the removal, which has another ratio than the one before.
    private static let renewed = ScriptedPicture.gradient(
        from: .red,
        to: .blue,
        width: 80,
        height: 120
    ).data()

    /// Runs a service with caches in a folder of its own, or in memory.
    private func run(
        onDisk: Bool,
        _ transport: FakeTransport,
        _ body: @escaping @Sendable (TestService) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.operation.adminToken = "token"
            if onDisk { configuration.caches.path = folder.path }
        }
        try await TestService.run(change, transport: transport, body)
    }

    /// Whether an image shows the file after the removal.
    private func isRenewed(_ reply: Reply) throws -> Bool {
        let size = try #require(KFCrossPlatformImage(data: reply.body)).size
        return size.height > size.width
    }

    @Test("What is made while it is removed is not kept", arguments: [false, true])
    func removedWhileMade(onDisk: Bool) async throws {
        let transport = FakeTransport()
        try await run(onDisk: onDisk, transport) { test async throws in
            let url = path(Self.source, "w:10")
            let client = try test.connect()
            client.send(url)
            await transport.started(1)
            #expect(try await test.request(url, method: "DELETE", Self.token).status == 204)
            try transport.transfer(0).complete(ImageServiceTests.png)
            #expect(try await client.reply().status == 200)
            await test.service.settle()
            transport.answerOthers(with: .data(Self.renewed, type: "image/png"))
            // First the result, then the source of another one.
            for options in ["w:10", "w:20"] {
                let reply = try await test.request(path(Self.source, options))
                #expect(try isRenewed(reply), "\(options)")
            }
        }
    }

    @Test(
        "A request after a removal shares no work that began before it",
        arguments: ["w:10", "w:20"]
    )
    func detached(_ options: String) async throws {
        let transport = FakeTransport()
        try await run(onDisk: true, transport) { test async throws in
            let url = path(Self.source, "w:10")
            let before = try test.connect()
            let after = try test.connect()
            before.send(url)
            await transport.started(1)
            #expect(try await test.request(url, method: "DELETE", Self.token).status == 204)
            after.send(path(Self.source, options))
            await transport.started(2)
            try transport.transfer(1).complete(Self.renewed)
            let new = try await after.reply()
            #expect(try isRenewed(new))
            try transport.transfer(0).complete(ImageServiceTests.png)
            let old = try await before.reply()
            #expect(try !isRenewed(old))
            let kept = try await test.request(path(Self.source, options))
            #expect(try isRenewed(kept))
            await test.service.settle()
        }
        #expect(transport.transfers.count == 2)
    }
}
