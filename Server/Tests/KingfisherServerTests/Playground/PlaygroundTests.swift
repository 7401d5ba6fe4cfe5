import Foundation
import HTTPTypes
import Hummingbird
import KingfisherTesting
import NIOCore
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
            #expect(try await Self.send(ImageServiceTests.png, "/width:1", test).status == 403)
            for path in ["/", Self.sign("/width:1/aHR0cDovL2EvYg")] {
                #expect(try await test.request(path).status == 403)
                let reply = try await test.request(path, ["Authorization": "Bearer s"])
                #expect(reply.status == 200)
            }
        }
    }

    /// Sends a file as the page does.
    private static func send(
        _ file: Data,
        _ options: String,
        _ test: TestService,
        _ fields: [String: String] = [:]
    ) async throws -> Reply {
        let client = try test.connect()
        let path = "/playground/file?path=\(PercentEncoding.encoded(options))"
        let length = ["Content-Length": "\(file.count)"]
        client.send(method: "POST", path, fields.merging(length) { $1 })
        client.sendRaw(Array(file))
        return try await client.reply()
    }

    @Test func `a dropped file is processed and not kept`() async throws {
        try await TestService.run(Self.configure) { test async throws in
            let reply = try await Self.send(ImageServiceTests.png, "/width:30/format:webp", test)
            #expect(reply.status == 200)
            #expect(reply.fields["content-type"] == "image/webp")
            #expect(reply.fields["x-result-width"] == "30")
            #expect(reply.fields["cache-control"] == "no-store")
            #expect(reply.fields["server-timing"]?.contains("processing") == true)
            #expect(test.metric("kf_result_memory_bytes") == 0)
            let same = try await Self.send(ImageServiceTests.png, "/raw:1", test)
            #expect(same.body == ImageServiceTests.png)
            let plain = try await Self.send(ImageServiceTests.png, "/", test)
            #expect(plain.fields["content-type"] == "image/png")
        }
    }

    @Test func `a dropped file is refused with the reason`() async throws {
        try await TestService.run { configuration in
            Self.configure(&configuration)
            configuration.sources.maximalFileSize = ImageServiceTests.png.count
        } _: { test async throws in
            let png = ImageServiceTests.png
            for (file, options, status) in [
                (png + [0], "/width:30", 413), (Data("text".utf8), "/width:30", 422),
                (Data(), "/width:30", 422), (png, "/width:x", 404), (png, "/width:1/abc", 404),
                (png, "width:1", 400), (png, "/watermark:1", 422),
            ] {
                let reply = try await Self.send(file, options, test)
                #expect(reply.status == status, "\(options): \(reply.text)")
            }
            let site = ["Sec-Fetch-Site": "cross-site"]
            #expect(try await Self.send(png, "/width:30", test, site).status == 403)
            #expect(try await Self.send(png, "/width:30", test).status == 200)
        }
    }

    @Test func `a file without an end is refused`() async throws {
        try await TestService.run { configuration in
            Self.configure(&configuration)
            configuration.sources.maximalFileSize = 1000
        } _: { test async throws in
            let client = try test.connect()
            let head = "POST /playground/file?path=/width:1 HTTP/1.1\r\nHost: a\r\n"
            client.sendRaw(head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "100\r\n" + String(repeating: "a", count: 256) + "\r\n"
            for _ in 0..<8 { client.sendRaw(chunk) }
            #expect(try await client.reply().status == 413)
        }
    }

    @Test func `too many files at once are refused`() async throws {
        let files = DroppedFiles(maximalSize: nil)
        func process(_ count: Int) async throws(ServiceError) -> Int {
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            return try await files.withFile(of: request) { _ throws(ServiceError) in
                count == 1 ? 1 : 1 + (try await process(count - 1))
            }
        }
        let most = DroppedFiles.maximalCount
        #expect(try await process(most) == most)
        let error = await #expect(throws: ServiceError.self) { try await process(most + 1) }
        #expect(error?.status == 429)
        #expect(try await process(most) == most)
    }

    @Test func `without its setting there is no playground`() async throws {
        try await TestService.run { test async throws in
            #expect(try await test.request("/").fields["content-type"]?.contains("html") == false)
            #expect(try await test.request("/live").status == 404)
            #expect(try await test.request(Self.sign("/width:1/aHR0cDovL2EvYg")).status == 404)
            #expect(try await Self.send(ImageServiceTests.png, "/width:1", test).status == 405)
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
