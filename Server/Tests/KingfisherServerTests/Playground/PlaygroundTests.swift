import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(2)))
struct PlaygroundTests {
    private struct Signed: Decodable {
        var path: String?
        var options: String?
        var error: String?
    }

    private static func configure(_ configuration: inout ServiceConfiguration) {
        configuration.operation.showsPlayground = true
        configuration.urls.keys = [[1, 2, 3]]
        configuration.urls.salts = [[4, 5, 6]]
    }

    private static func sign(_ path: String) -> String {
        "/playground/sign?path=\(PercentEncoding.encoded(path))"
    }

    private static func source(_ address: String) -> String { Base64URL.encoded(address.utf8) }

    @Test func `the pages load nothing from other hosts`() async throws {
        try await TestService.run(Self.configure) { test async throws in
            for (path, type) in [
                ("/", "text/html"), ("/live", "text/html"), ("/playground/style.css", "text/css"),
                ("/playground/page.js", "text/javascript"),
                ("/playground/live.js", "text/javascript"),
            ] {
                let reply = try await test.request(path)
                #expect(reply.status == 200)
                #expect(reply.fields["content-type"] == "\(type); charset=utf-8")
                let policy = reply.fields["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
                #expect(!reply.text.contains("//cdn"))
            }
        }
    }

    @Test func `a signed path is answered`() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run(Self.configure) { test async throws in
            let source = Self.source(server.url("/photo.png"))
            let reply = try await test.request(Self.sign("/width:30/\(source)"))
            let signed = try JSONDecoder().decode(Signed.self, from: reply.body)
            #expect(signed.options == "width:30")
            let path = try #require(signed.path)
            let image = try await test.request(path)
            #expect(image.status == 200)
            #expect(image.fields["x-result-width"] == "30")
            #expect(try await test.request(path.replacing("30", with: "31")).status == 403)
        }
    }

    @Test(arguments: [
        ("/width:x/aHR0cDovL2EvYg", 404), ("/width:1", 404), ("width:1/aHR0cDovL2EvYg", 400),
        ("", 400),
    ])
    func `an invalid path is not signed`(_ path: String, _ status: Int) async throws {
        try await TestService.run(Self.configure) { test async throws in
            let reply = try await test.request(Self.sign(path))
            #expect(reply.status == status)
            let signed = try JSONDecoder().decode(Signed.self, from: reply.body)
            #expect(signed.path == nil)
            #expect(signed.error?.isEmpty == false)
        }
    }

    @Test func `pages of other sites cannot sign`() async throws {
        try await TestService.run(Self.configure) { test async throws in
            let path = Self.sign("/width:1/aHR0cDovL2EvYg")
            for (site, status) in [
                ("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200),
            ] {
                let reply = try await test.request(path, ["Sec-Fetch-Site": site])
                #expect(reply.status == status)
            }
        }
    }

    @Test func `a secret covers the playground`() async throws {
        try await TestService.run { configuration in
            Self.configure(&configuration)
            configuration.responses.secret = "s"
        } _: { test async throws in
            for path in ["/", Self.sign("/width:1/aHR0cDovL2EvYg")] {
                #expect(try await test.request(path).status == 403)
                let reply = try await test.request(path, ["Authorization": "Bearer s"])
                #expect(reply.status == 200)
            }
        }
    }

    @Test func `without its setting there is no playground`() async throws {
        try await TestService.run { test async throws in
            #expect(try await test.request("/").fields["content-type"]?.contains("html") == false)
            #expect(try await test.request("/live").status == 404)
            #expect(try await test.request(Self.sign("/width:1/aHR0cDovL2EvYg")).status == 404)
        }
    }

    @Test func `a prefix of paths stands before the pages, too`() async throws {
        try await TestService.run { configuration in
            Self.configure(&configuration)
            configuration.urls.pathPrefix = "/images"
        } _: { test async throws in
            #expect(try await test.request("/images/").text.contains("playground/page.js"))
            let reply = try await test.request("/images" + Self.sign("/width:1/aHR0cDovL2EvYg"))
            let signed = try JSONDecoder().decode(Signed.self, from: reply.body)
            #expect(signed.path?.hasPrefix("/images/") == true)
        }
    }
}
