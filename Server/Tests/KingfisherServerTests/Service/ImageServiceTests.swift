import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(2)))
struct ImageServiceTests {
    static let png = ScriptedPicture.gradient(from: .red, to: .blue, width: 120, height: 80).data()
    static let address = "http://images.example/photo.png"

    /// A transport with one image, whose response has validators.
    static func sources(_ fields: [String: String] = [:]) throws -> LoopbackServer {
        try LoopbackServer { path, _ in
            switch path {
            case "/photo.png":
                var answer = LoopbackServer.Answer(contentType: "image/png", body: png)
                answer.headers = fields
                return answer
            case "/text":
                return LoopbackServer.Answer(contentType: "text/html", body: Data("x".utf8))
            case "/broken":
                return LoopbackServer.Answer(contentType: "image/png", body: png.prefix(100))
            case "/fails": return LoopbackServer.Answer(status: 500)
            case "/inwards":
                var answer = LoopbackServer.Answer(status: 302)
                answer.headers = ["Location": "http://169.254.169.254/latest/meta-data/"]
                return answer
            default: return nil
            }
        }
    }

    @Test("An image is resized, and comes from memory the second time")
    func resized() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "rs:fit:60:60")
        try await TestService.run { configuration in
            configuration.responses.setsDebugFields = true
        } _: { test async throws in
            let first = try await test.request(url)
            #expect(first.status == 200)
            #expect(first.fields["content-type"] == "image/png")
            #expect(first.fields["x-cache"] == "none")
            #expect(first.fields["x-result-width"] == "60")
            #expect(first.fields["x-result-height"] == "40")
            #expect(first.fields["x-content-type-options"] == "nosniff")
            #expect(first.fields["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(first.fields["cache-control"] == "max-age=31536000, public")
            #expect(first.fields["content-disposition"] == #"inline; filename="photo.png""#)
            let second = try await test.request(url)
            #expect(second.fields["x-cache"] == "memory")
            #expect(second.body == first.body)
            let head = try await test.request(url, method: "HEAD")
            #expect(head.fields["content-length"] == "\(first.body.count)")
            let other = try await test.request(path(server.url("/photo.png"), "rs:fit:30:30"))
            #expect(other.fields["x-cache"] == "source")
        }
        #expect(server.requests == ["/photo.png"])
    }

    @Test("A format that cannot hold the result's size is not chosen for a client")
    func sizeOfFormats() async throws {
        let file = try TestPicture.quartersPNG(17_000, 1)
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/png", body: file)
        }
        defer { server.stop() }
        let accept = ["Accept": "image/webp"]
        try await TestService.run { configuration in
            configuration.negotiation.prefersWebP = true
        } _: { test async throws in
            for (options, type) in [
                ("el:1", "image/png"), ("w:16383", "image/webp"), ("w:16384", "image/png"),
                ("w:16383/pd:1", "image/png"), ("c:100:1", "image/webp"),
            ] {
                let reply = try await test.request(path(server.url("/a.png"), options), accept)
                #expect(reply.status == 200, "\(options)")
                #expect(reply.fields["content-type"] == type, "\(options)")
            }
            let named = try await test.request(path(server.url("/a.png"), "f:webp"), accept)
            #expect(named.status == 422)
        }
    }

    @Test("Results with and without metadata are kept apart, on disk and in memory")
    func metadata() async throws {
        let photo = try KeptMetadataTests.source()
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/jpeg", body: photo)
        }
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for keepsByDefault in [false, true] {
            try await TestService.run { configuration in
                configuration.caches.path = folder.path
                configuration.processing.stripsMetadata = !keepsByDefault
            } _: { test async throws in
                var tags: Set<String> = []
                for round in 1...2 {
                    for (options, exif) in [
                        ("w:10", keepsByDefault), ("w:10/sm:1", false), ("w:10/sm:0", true),
                        ("w:10/sm:1/kcr:1", true),
                    ] {
                        let reply = try await test.request(path(server.url("/a.jpg"), options))
                        #expect(reply.status == 200)
                        let found = try ImageMetadata(of: Data(reply.body))
                        #expect((found.exif != nil) == exif, "\(options) \(round)")
                        let hasPlace = Data(reply.body).range(of: Data("PLACE".utf8)) != nil
                        #expect(hasPlace == (exif && !options.contains("kcr")))
                        tags.insert(try #require(reply.fields["etag"]))
                    }
                }
                // Equal results have equal tags.
                #expect(tags.count == 3)
                await test.service.settle()
            }
        }
    }

    @Test("A client that has the result gets 304 without a body")
    func conditions() async throws {
        let date = "Tue, 15 Nov 1994 12:45:26 GMT"
        let server = try Self.sources(["Last-Modified": date, "ETag": "\"v1\""])
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "w:10")
        try await TestService.run { test async throws in
            let first = try await test.request(url)
            let tag = try #require(first.fields["etag"])
            #expect(first.fields["last-modified"] == date)
            for fields in [
                ["If-None-Match": tag], ["If-None-Match": "\"x\", W/\(tag)"],
                ["If-None-Match": "*"], ["If-Modified-Since": date],
                ["If-Modified-Since": "Wed, 16 Nov 1994 12:45:26 GMT"],
            ] {
                let client = try test.connect()
                client.send(url, fields)
                let reply = try await client.reply()
                #expect(reply.status == 304, "\(fields)")
                #expect(reply.fields["etag"] == tag)
                // The connection is usable: there was no body.
                client.send("/health")
                #expect(try await client.reply().text == "ok\n")
            }
            for fields in [
                ["If-None-Match": "\"x\""], ["If-None-Match": "broken"],
                ["If-Modified-Since": "Mon, 14 Nov 1994 12:45:26 GMT"],
                ["If-None-Match": "\"x\"", "If-Modified-Since": date],
            ] {
                #expect(try await test.request(url, fields).status == 200, "\(fields)")
            }
        }
    }

    @Test("A client that takes WebP gets it, and caches are told why")
    func negotiation() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "w:10")
        try await TestService.run { configuration in
            configuration.negotiation.prefersWebP = true
        } _: { test async throws in
            let webp = try await test.request(url, ["Accept": "image/webp,*/*"])
            #expect(webp.fields["content-type"] == "image/webp")
            #expect(webp.body.kf.imageFormat == .WebP)
            #expect(webp.fields["vary"] == "Accept")
            let png = try await test.request(url)
            #expect(png.fields["content-type"] == "image/png")
            #expect(png.fields["vary"] == "Accept")
        }
    }

    @Test("Errors have their status and one line of text")
    func errors() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        try await TestService.run { test async throws in
            for (source, status) in [
                ("/missing", 404), ("/text", 422), ("/broken", 422), ("/fails", 502),
            ] {
                let reply = try await test.request(path(server.url(source), "w:10"))
                #expect(reply.status == status, "\(source)")
                #expect(reply.fields["content-type"] == "text/plain; charset=utf-8")
                #expect(reply.fields["cache-control"] == "no-store")
                #expect(reply.text.filter { $0 == "\n" }.count == 1)
                #expect(!reply.text.contains(server.url("")))
            }
            #expect(try await test.request("/unsafe/nonsense:1/plain/http://a").status == 404)
            let post = try await test.request(path(server.url("/photo.png")), method: "POST")
            #expect(post.status == 405)
            #expect(post.fields["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("Addresses of private networks are refused, directly and by a redirect")
    func addresses() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        try await TestService.run { test async throws in
            for source in [
                server.url("/inwards"), "http://10.0.0.1/x.png", "http://192.168.1.1/x.png",
                "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/x.png",
            ] {
                let reply = try await test.request(path(source))
                #expect(reply.status == 404, "\(source)")
                #expect(reply.text.contains("not allowed"), "\(reply.text)")
            }
        }
        try await TestService.run { configuration in
            configuration.sources.allowsLoopback = false
        } _: { test async throws in
            let reply = try await test.request(path(server.url("/photo.png")))
            #expect(reply.status == 404)
        }
        #expect(server.requests == ["/inwards"])
    }

    @Test("A source that does not exist is not asked for again at once, until it is removed")
    func absence() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let url = path(server.url("/missing"))
        try await TestService.run { configuration in
            configuration.operation.adminToken = "token"
        } _: { test async throws in
            let options = try await test.request("/", method: "OPTIONS")
            #expect(options.fields["allow"] == "GET, HEAD, OPTIONS, DELETE")
            #expect(try await test.request(url).status == 404)
            #expect(try await test.request(url).status == 404)
            #expect(server.requests.count == 1)
            let fields = ["Authorization": "Bearer token"]
            #expect(try await test.request(url, method: "DELETE", fields).status == 204)
            #expect(try await test.request(url).status == 404)
            #expect(server.requests.count == 2)
        }
    }

    @Test("With keys, only signed paths are answered")
    func signatures() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let rest = "/w:10/plain/\(server.url("/photo.png"))"
        try await TestService.run { configuration in
            configuration.urls.keys = [[1, 2, 3]]
            configuration.urls.salts = [[4, 5, 6]]
        } _: { test async throws in
            let keys = SignatureKeys([.init(key: [1, 2, 3], salt: [4, 5, 6])])
            #expect(try await test.request("/\(keys.signature(of: rest))\(rest)").status == 200)
            for signature in ["unsafe", "AAAA", String(keys.signature(of: rest).dropLast())] {
                let reply = try await test.request("/\(signature)\(rest)")
                #expect(reply.status == 403, "\(signature)")
            }
        }
    }

    @Test("A secret is needed where one is configured")
    func secret() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "w:10")
        try await TestService.run { configuration in
            configuration.responses.secret = "s3cret"
        } _: { test async throws in
            #expect(try await test.request(url).status == 403)
            for value in ["Bearer", "Bearer s3cre", "s3cret", "Bearer s3cret "] {
                let reply = try await test.request(url, ["Authorization": value])
                // Spaces at the end are no part of a field's value.
                #expect(reply.status == (value.hasSuffix(" ") ? 200 : 403), "\(value)")
            }
            #expect(try await test.request("/health").status == 200)
        }
    }

    @Test("An administrator removes a result from memory and disk")
    func removal() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = path(server.url("/photo.png"), "w:10")
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.caches.path = folder.path
            configuration.operation.adminToken = "token"
            configuration.responses.setsDebugFields = true
        }
        try await TestService.run(change) { test async throws in
            #expect(try await test.request(url).fields["x-cache"] == "none")
            await test.service.settle()
        }
        try await TestService.run(change) { test async throws in
            #expect(try await test.request(url).fields["x-cache"] == "disk")
            #expect(try await test.request(url).fields["x-cache"] == "memory")
            #expect(try await test.request(url, method: "DELETE").status == 403)
            let wrong = ["Authorization": "Bearer other"]
            #expect(try await test.request(url, method: "DELETE", wrong).status == 403)
            let right = ["Authorization": "Bearer token"]
            #expect(try await test.request(url, method: "DELETE", right).status == 204)
            #expect(try await test.request(url).fields["x-cache"] == "none")
        }
        #expect(server.requests.count == 2)
    }

    @Test("A fallback is drawn in place of a source that cannot be had")
    func fallback() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        try await TestService.run { configuration in
            configuration.responses.fallbackData = Self.png
            configuration.responses.fallbackStatus = 203
            configuration.responses.fallbackTimeToLive = 60
            configuration.responses.setsCanonicalLink = true
        } _: { test async throws in
            let reply = try await test.request(path(server.url("/missing"), "rs:force:7:5"))
            #expect(reply.status == 203)
            #expect(reply.fields["content-type"] == "image/png")
            #expect(reply.fields["cache-control"] == "max-age=60, public")
            #expect(reply.fields["etag"] == nil)
            #expect(reply.fields["content-disposition"] == #"inline; filename="missing.png""#)
            #expect(reply.fields["link"] == nil)
            #expect(KFCrossPlatformImage(data: reply.body)?.size == CGSize(width: 7, height: 5))
            // Paths that say nothing of an image get no image.
            #expect(try await test.request("/unsafe/nonsense:1/plain/http://a").status == 404)
        }
    }

    @Test("A source that forbids storing is not kept")
    func uncacheable() async throws {
        let server = try Self.sources(["Cache-Control": "private, max-age=60"])
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "w:10")
        try await TestService.run { configuration in
            configuration.responses.setsDebugFields = true
            configuration.responses.passesCacheControl = true
        } _: { test async throws in
            for _ in 0..<2 {
                let reply = try await test.request(url)
                #expect(reply.fields["x-cache"] == "none")
                #expect(reply.fields["cache-control"] == "private, max-age=60")
            }
        }
        #expect(server.requests.count == 2)
    }

    @Test("Information about a source is JSON")
    func information() async throws {
        let server = try Self.sources()
        defer { server.stop() }
        try await TestService.run { test async throws in
            let reply = try await test.request("/unsafe/info/plain/\(server.url("/photo.png"))")
            #expect(reply.fields["content-type"] == "application/json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: reply.body) as? [String: Any]
            )
            #expect(object["width"] as? Int == 120)
            #expect(object["format"] as? String == "png")
        }
    }

    @Test("Local sources stay within their folder")
    func local() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        let root = folder.appendingPathComponent("root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Self.png.write(to: root.appendingPathComponent("in.png"))
        try Self.png.write(to: folder.appendingPathComponent("out.png"))
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: root.appendingPathComponent("link.png"),
            withDestinationURL: folder.appendingPathComponent("out.png")
        )
        try manager.createSymbolicLink(
            at: root.appendingPathComponent("inner.png"),
            withDestinationURL: root.appendingPathComponent("in.png")
        )
        #expect(mkfifo(root.appendingPathComponent("pipe.png").path, 0o600) == 0)
        try await TestService.run { configuration in
            configuration.sources.localRoot = root.path
        } _: { test async throws in
            for (name, status) in [
                ("in.png", 200), ("inner.png", 200), ("link.png", 404), ("pipe.png", 404),
                ("", 404), ("../out.png", 404), ("%252e%252e/out.png", 404), ("missing.png", 404),
            ] {
                let reply = try await test.request("/unsafe/w:10/plain/local:///\(name)")
                #expect(reply.status == status, "\(name)")
            }
        }
    }
}
