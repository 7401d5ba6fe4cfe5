import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// The format with the fewest bytes.
@Suite(.timeLimit(.minutes(2)))
struct BestFormatTests {
    @Test("The smallest of all accepted formats is sent")
    func smallest() async throws {
        let photo = ScriptedPicture.gradient(from: .red, to: .blue, width: 160, height: 120)
        let transport = FakeTransport()
        transport.answerOthers(with: .data(photo.data(as: .jpeg), type: "image/jpeg"))
        let change: (inout ServiceConfiguration) -> Void = { $0.negotiation.prefersWebP = true }
        try await TestService.run(change, transport: transport) { test async throws in
            let source = HostileClientTests.source.absoluteString
            let accept = ["Accept": "image/webp"]
            var sizes: [String: Int] = [:]
            for format in ["jpg", "webp"] {
                sizes[format] = try await test.request(path(source, "f:\(format)")).body.count
            }
            for (fields, formats) in [([:], ["jpg"]), (accept, ["jpg", "webp"])] {
                let reply = try await test.request(path(source, "f:best"), fields)
                #expect(reply.status == 200)
                #expect(reply.body.count == formats.compactMap { sizes[$0] }.min())
                #expect(reply.fields["vary"]?.contains("Accept") == true)
            }
            let named = try await test.request(path(source, "w:50") + "@best", accept)
            #expect(named.status == 200)
        }
    }

    @Test("Only formats that hold the result are candidates")
    func candidates() throws {
        var configuration = ServiceConfiguration()
        configuration.negotiation.prefersWebP = true
        let request = try ImageRequest.parse("/_/f:best/plain/http://a/b", with: .init())
        var headers = NegotiationHeaders()
        headers.accept = "image/webp"
        let negotiated = try Negotiation.negotiate(
            request,
            headers: headers,
            settings: configuration.negotiationSettings
        )
        func found(
            _ format: OutputFormat,
            alpha: Bool = false,
            animated: Bool = false
        ) -> [OutputFormat] {
            negotiated.candidates(
                for: format,
                hasTransparency: alpha,
                isAnimated: animated,
                size: nil
            )
        }
        #expect(found(.jpeg) == [.webp, .jpeg])
        #expect(found(.png) == [.webp, .jpeg, .png])
        #expect(found(.png, alpha: true) == [.webp, .png])
        #expect(found(.gif, animated: true) == [.webp, .gif])
    }
}
