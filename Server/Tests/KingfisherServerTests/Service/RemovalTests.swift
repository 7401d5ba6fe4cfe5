import Foundation
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
}
