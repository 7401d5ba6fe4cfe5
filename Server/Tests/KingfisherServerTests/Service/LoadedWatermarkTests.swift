import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Watermarks that are loaded: the rules for sources hold for them too.
@Suite(.timeLimit(.minutes(2)))
struct LoadedWatermarkTests {
    private static let source = HostileClientTests.source
    private static let mark = "http://images.example/mark.png"
    private static let url = path(
        source.absoluteString,
        "w:50/wm:1/wmu:\(Base64URL.encoded(mark.utf8))"
    )

    @Test(
        "A result is kept no longer than its watermark",
        arguments: [
            ("no-store", "max-age=100", "none", "no-store"),
            ("private", "max-age=100", "none", "private"),
            ("max-age=0", "max-age=100", "none", "max-age=0"),
            ("max-age=50", "max-age=100", "memory", "max-age=50"),
            ("max-age=100", "max-age=50", "memory", "max-age=50"),
            ("max-age=100", "no-store", "none", "no-store"),
        ]
    )
    func lifetimes(_ mark: String, _ source: String, _ layer: String, _ passed: String) async throws
    {
        let transport = AnsweringTransport { request in
            var answer = AnsweringTransport.Answer.image()
            answer.fields["Cache-Control"] = request.url == Self.source ? source : mark
            return answer
        }
        for passes in [true, false] {
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.responses.setsDebugFields = true
                configuration.responses.passesCacheControl = passes
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let first = try await test.request(Self.url)
                let second = try await test.request(Self.url)
                if passes { #expect(first.fields["cache-control"] == passed) }
                guard passes || !mark.hasPrefix("max-age") else { return }
                #expect((second.fields["x-cache"] == "memory") == (layer == "memory"))
            }
        }
    }

    @Test("A watermark above the limits of sources is refused before it is decoded")
    func limits() async throws {
        let picture = ScriptedPicture.gradient(from: .red, to: .blue, width: 1100, height: 1000)
        let file = picture.data()
        let transport = AnsweringTransport { request in
            request.url == Self.source ? .image() : .init(body: file)
        }
        for (megapixels, status) in [(1.0, 422), (2.0, 200)] {
            let change: (inout ServiceConfiguration) -> Void = {
                $0.processing.maximalMegapixels = megapixels
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let reply = try await test.request(Self.url)
                #expect(reply.status == status)
                if status == 422 { #expect(reply.text.hasPrefix("The watermark cannot be used.")) }
            }
        }
    }
}
