import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Options and settings that need the whole service.
@Suite(.timeLimit(.minutes(2)))
struct RequestOptionTests {
    @Test("The fields of a response do not show an encrypted source")
    func hidden() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let key = "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.urls.encryptionKey = Hexadecimal.bytes(key)
            configuration.responses.setsCanonicalLink = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let text =
                "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_"
                + "cVc8iVTYbhsNsxNBL1BHaQ"
            let reply = try await test.request("/_/w:5/enc/\(text)")
            #expect(reply.status == 200)
            #expect(!reply.head.contains("curiosity"))
            test.handler.flush()
            #expect(!test.log.text.contains("curiosity"))
            #expect(try await test.request("/_/srcset/5/enc/\(text)").status == 404)
        }
        #expect(transport.requests.first?.url?.host == "example.com")
    }

    @Test("A list of widths has the signed paths of the image in these widths")
    func widths() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            (configuration.urls.keys, configuration.urls.salts) = ([[1, 2]], [[3, 4]])
            configuration.urls.pathPrefix = "/img"
            configuration.responses.setsDebugFields = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let keys = SignatureKeys([.init(key: [1, 2], salt: [3, 4])])
            let rest = "/srcset/20,40/q:50/plain/\(HostileClientTests.source.absoluteString)@jpg"
            let reply = try await test.request("/img/\(keys.signature(of: rest))\(rest)")
            #expect(reply.fields["content-type"] == "application/json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: reply.body) as? [String: Any]
            )
            let sources = try #require(object["sources"] as? [[String: Any]])
            #expect(sources.compactMap { $0["width"] as? Int } == [20, 40])
            let paths = sources.compactMap { $0["path"] as? String }
            #expect(object["srcset"] as? String == "\(paths[0]) 20w, \(paths[1]) 40w")
            for (path, width) in zip(paths, ["20", "40"]) {
                let image = try await test.request(path)
                #expect(image.fields["content-type"] == "image/jpeg")
                #expect(image.fields["x-result-width"] == width)
            }
            #expect(try await test.request("/img/unsafe\(rest)").status == 403)
            let end = Int(Date().timeIntervalSince1970) + 2000
            let short = rest.replacing("/q:50", with: "/exp:\(end)")
            let expiring = try await test.request("/img/\(keys.signature(of: short))\(short)")
            let control = try #require(expiring.fields["cache-control"])
            let match = try #require(control.wholeMatch(of: #/max-age=(\d+), public/#))
            #expect(Int(match.1).map { $0 <= 2000 } == true)
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("The paths of a list of widths keep what its URL turns off, and its presets")
    func widthsWithPresets() throws {
        var settings = GrammarSettings()
        try settings.definePresets(["default=sh:5/el:1/g:no", "small=q:20/bg:fff"])
        settings.allowedOptions = ["sh", "el", "g", "w", "pr", "dpr", "rs"]
        settings.pathPrefix = "/img"
        let reader = PathReader(settings, NegotiationSettings())
        let options = "rs:fill:30:40/sh:0/el:0/g:ce/dpr:1/pr:small"
        let source = "plain/http://a.example/b%252e.png"
        for end in ["", "@webp"] {
            let list = try reader.request("/img/_/srcset/5,6/\(options)/\(source)\(end)")
            let paths = try reader.paths(of: list)
            #expect(paths.map(\.width) == [5, 6])
            for (width, path) in paths {
                let alone = try reader.request("/img/_/\(options)/w:\(width)/\(source)\(end)")
                let made = try reader.request(path)
                #expect(made == alone)
                #expect(made.options.sharpen == 0)
                #expect(made.options.quality == 20)
            }
        }
    }

    @Test("The paths of a list of widths name its source, however that is replaced")
    func widthsOfReplacedSource() throws {
        var settings = GrammarSettings()
        settings.sources.base = "cdn://"
        let replacement = try #require(SourceReplacement("cdn://=http://a.example/"))
        settings.sources.replacements = [replacement]
        let reader = PathReader(settings, NegotiationSettings())
        let list = try reader.request("/_/srcset/5/plain/b.png")
        let path = try #require(try reader.paths(of: list).first).path
        let made = try reader.request(path)
        #expect(made.source.description == "http://a.example/b.png")
    }

    @Test("There is no list of widths where URLs must not name a width")
    func refused() async throws {
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.urls.presets = ["small=h:5"]
            configuration.urls.allowsOnlyPresets = true
        }
        try await TestService.run(change, transport: FakeTransport()) { test async throws in
            let reply = try await test.request("/_/srcset/20,40/small/plain/http://a.example/b")
            #expect(reply.status == 404)
        }
    }

    @Test("A malformed list of widths is 404", arguments: ["", "a", "0", "5,", "5,-1", "99999999"])
    func malformed(_ widths: String) {
        let error = #expect(throws: ServiceError.self) {
            try ImageRequest.parse("/_/srcset/\(widths)/plain/http://a/b", with: .init())
        }
        #expect(error?.status == 404)
    }

    @Test("A request names the image in place of a source that cannot be had")
    func fallback() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run { test async throws in
            let other = Base64URL.encoded(server.url("/photo.png").utf8)
            let missing = path(server.url("/missing"), "rs:force:7:5/fiu:\(other)")
            let reply = try await test.request(missing)
            #expect(reply.status == 200)
            #expect(KFCrossPlatformImage(data: reply.body)?.size == CGSize(width: 7, height: 5))
            let lost = Base64URL.encoded(server.url("/lost").utf8)
            #expect(
                try await test.request(path(server.url("/missing"), "fiu:\(lost)")).status == 404
            )
        }
    }

    @Test(
        "Cookies reach only sources of their site",
        arguments: [
            (nil, "http://test"), ("http://images.example/x", "http://images.example"),
            ("https://images.example", "https://images.example"),
            ("https://Images.example:443/", "https://images.example"),
            ("https://images.example:80/", "http://images.example"),
        ]
    )
    func cookies(_ base: String?, _ expected: String) async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.sources.passesCookies = true
            configuration.sources.cookieBaseURL = base.flatMap { URL(string: $0) }
            configuration.sources.customFields = [HeaderField(name: "X-Key", value: "1")]
        }
        try await TestService.run(change, transport: transport) { test async throws in
            // The tests' client names the host `test`.
            for site in [
                "http://images.example", "https://images.example", "http://other.example",
                "http://test", "http://test:81",
            ] {
                _ = try await test.request(path("\(site)/a.png"), ["Cookie": "a=1"])
            }
        }
        let sources = transport.requests.filter { $0.value(forHTTPHeaderField: "Cookie") != nil }
            .compactMap { $0.url?.absoluteString }
        #expect(sources == ["\(expected)/a.png"])
        #expect(
            transport.requests.allSatisfy { $0.value(forHTTPHeaderField: "X-Key") == "1" }
        )
    }

    @Test("Cookies reach all sources of the web if the configuration says so")
    func cookiesForAll() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let environment = [
            "IMGPROXY_COOKIE_PASSTHROUGH": "1", "IMGPROXY_COOKIE_PASSTHROUGH_ALL": "1",
        ]
        let sources = try ServiceConfiguration(environment: environment).sources
        let change: (inout ServiceConfiguration) -> Void = { $0.sources = sources }
        try await TestService.run(change, transport: transport) { test async throws in
            _ = try await test.request(path("http://other.example/a.png"), ["Cookie": "a=1"])
        }
        #expect(transport.requests.map { $0.value(forHTTPHeaderField: "Cookie") } == ["a=1"])
    }

    @Test("An animation becomes a still where the URL says so")
    func stills() async throws {
        let gif = try TestAnimation.gif(frames: 4)
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/gif", body: gif)
        }
        defer { server.stop() }
        try await TestService.run { configuration in
            configuration.processing.maximalAnimationFrames = 10
        } _: { test async throws in
            for (options, frames) in [("w:10", 4), ("w:10/da:1", 1)] {
                let reply = try await test.request(path(server.url("/a.gif"), options))
                #expect(try ImageFileInfo(data: reply.body).frameCount == frames)
            }
        }
    }

    @Test("The configuration asks for a measured quality, and a URL may refuse it")
    func quality() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run { configuration in
            configuration.processing.autoQualityMethod = .dssim
            configuration.processing.autoQualityTarget = 0.5
            configuration.processing.lowestAutoQuality = 10
            configuration.responses.serverName = "images"
            configuration.operation.healthMessage = "fine"
        } _: { test async throws in
            let url = server.url("/photo.png")
            let measured = try await test.request(path(url, "w:100") + "@jpg")
            let fixed = try await test.request(path(url, "w:100/aq:none") + "@jpg")
            #expect(measured.body.count < fixed.body.count)
            #expect(measured.fields["server"] == "images")
            #expect(try await test.request("/health").text == "fine\n")
        }
    }

    @Test("The unsharp mask makes edges steeper, and leaves flat parts alone")
    func unsharpMask() async throws {
        let bench = try RenderBench()
        let file = try #require(
            TestPicture.image(40, 8) { x, _ in
                x < 20 ? [100, 100, 100, 255] : [150, 150, 150, 255]
            }.pngData()
        )
        let sharp = try await bench.render(file) { options in
            options.unsharpMask = .init(mode: .always)
        }
        let image = try #require(KFCrossPlatformImage(data: sharp.result.data))
        let row = image.withPremultipliedRGBA { pixels, _ in (0..<40).map { pixels[$0 * 4] } }
        // The kernel is 32 − 8 neighbours, divided by 24: 3 × 50 / 24.
        #expect(row[..<19].allSatisfy { $0 == 100 } && row[21...].allSatisfy { $0 == 150 })
        #expect(abs(Int(row[19]) - 94) <= 1 && abs(Int(row[20]) - 156) <= 1, "\(row)")
        let auto = try await bench.render(file) { $0.unsharpMask = .init(mode: .auto) }
        let plain = try #require(KFCrossPlatformImage(data: auto.result.data))
        #expect(plain.withPremultipliedRGBA { pixels, _ in pixels[19 * 4] } == 100)
    }
}
