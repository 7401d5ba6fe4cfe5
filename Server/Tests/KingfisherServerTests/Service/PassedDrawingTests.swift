import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Drawings that are passed on, behind `IMGPROXY_ALWAYS_RASTERIZE_SVG=0`.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestPicture.readsDrawings))
struct PassedDrawingTests {
    private static let drawing = Data(
        svg("<script>evil()</script><rect width='9' height='9'/>", " width='9' height='9'").utf8
    )
    private static let expected = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
        width="9" height="9"><rect width="9" height="9"/></svg>
        """

    private static func server(of file: Data) throws -> LoopbackServer {
        try LoopbackServer { _, _ in LoopbackServer.Answer(body: file) }
    }

    /// Runs a service that passes drawings on.
    private func run(
        of file: Data = drawing,
        _ change: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestService, String) async throws -> Void
    ) async throws {
        let server = try Self.server(of: file)
        defer { server.stop() }
        let source = server.url("/drawing.svg")
        try await TestService.run { configuration in
            configuration.processing.rasterizesDrawings = false
            change(&configuration)
        } _: { test async throws in
            try await body(test, source)
        }
    }

    @Test("A drawing is passed on without scripts where nothing is asked of its pixels")
    func passedOn() async throws {
        try await run { test, source async throws in
            for options in ["", "f:svg", "w:300/h:200/f:svg", "q:50", "fn:a", "cb:1"] {
                let reply = try await test.request(path(source, options))
                #expect(reply.status == 200)
                #expect(reply.text == Self.expected)
                #expect(reply.fields["content-type"] == "image/svg+xml")
                #expect(reply.fields["x-content-type-options"] == "nosniff")
                #expect(
                    reply.fields["content-security-policy"]
                        == "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
                )
                #expect(reply.fields["content-disposition"]?.contains(".svg\"") == true)
            }
            let named = try await test.request("\(path(source))@svg")
            #expect(named.text == Self.expected)
        }
    }

    @Test("A drawing is drawn where its pixels or another format are asked for")
    func drawn() async throws {
        try await run { test, source async throws in
            for options in [
                "w:20", "f:png", "f:best", "blur:2", "bg:fff", "dpr:2", "mb:9000", "c:5:5",
            ] {
                let reply = try await test.request(path(source, options))
                #expect(reply.status == 200)
                #expect(reply.fields["content-type"] != "image/svg+xml", "\(options)")
                #expect(Data(reply.body).kf.imageFormat != .SVG)
            }
        }
    }

    @Test("Without the setting every drawing is drawn, and SVG is refused")
    func off() async throws {
        try await run {
            $0.processing.rasterizesDrawings = true
        } _: { test, source async throws in
            #expect(try await test.request(path(source)).fields["content-type"] == "image/png")
            let refused = try await test.request(path(source, "f:svg"))
            #expect(refused.status == 404)
            #expect(refused.text.contains("IMGPROXY_ALWAYS_RASTERIZE_SVG"))
        }
    }

    @Test("A result in SVG is kept and confirmed like others")
    func kept() async throws {
        try await run {
            $0.responses.setsDebugFields = true
        } _: { test, source async throws in
            let first = try await test.request(path(source))
            let second = try await test.request(path(source))
            #expect(second.fields["x-cache"] == "memory")
            #expect(second.body == first.body)
            let tag = try #require(first.fields["etag"])
            let confirmed = try await test.request(path(source), ["if-none-match": tag])
            #expect(confirmed.status == 304)
            #expect(confirmed.fields["content-security-policy"]?.contains("sandbox") == true)
        }
    }

    @Test("A drawing that cannot be made harmless is drawn, or refused where SVG is asked for")
    func harmful() async throws {
        let sheet = svg(
            "<style>@import 'https://evil.example/a.css';</style><rect/>",
            " width='9' height='9'"
        )
        try await run(of: Data(sheet.utf8)) {
            $0.responses.showsErrors = true
        } _: { test, source async throws in
            let drawn = try await test.request(path(source))
            #expect(drawn.fields["content-type"] == "image/png")
            let refused = try await test.request(path(source, "f:svg"))
            #expect(refused.status == 422)
            #expect(refused.text.contains("style sheet"))
        }
    }

    @Test("SVG is refused for sources with pixels, and with options that change pixels")
    func refusals() async throws {
        try await run(of: try TestPicture.quartersPNG(9, 9)) { test, source async throws in
            #expect(try await test.request(path(source, "f:svg")).status == 422)
            #expect(try await test.request(path(source)).fields["content-type"] == "image/png")
        }
        try await run { test, source async throws in
            for options in ["blur:3", "c:5:5", "wm:1", "rot:90", "pd:4", "ex:1", "bg:fff", "t:10"] {
                let reply = try await test.request(path(source, "\(options)/f:svg"))
                #expect(reply.status == 404, "\(options)")
            }
            // The source itself would have its scripts.
            #expect(try await test.request(path(source, "raw:1")).status == 422)
        }
    }

    @Test("Formats and widths of clients do not decide whether a drawing is passed on")
    func negotiation() async throws {
        try await run { configuration in
            configuration.negotiation.enforcesWebP = true
            configuration.negotiation.usesClientHints = true
        } _: { test, source async throws in
            let hints = ["accept": "image/webp", "width": "20"]
            let hinted = try await test.request(path(source), hints)
            #expect(hinted.text == Self.expected)
            let asked = try await test.request(path(source, "w:20"), hints)
            #expect(asked.fields["content-type"] == "image/webp")
        }
    }
}
