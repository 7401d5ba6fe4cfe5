import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

/// Sources that end early, behind `KF_ACCEPT_TRUNCATED`.
@Suite(.timeLimit(.minutes(2)))
struct TruncatedSourceTests {
    private static func photo(isProgressive: Bool) throws -> Data {
        let encoding = isProgressive ? ImageEncoding.progressiveJPEG() : .jpeg()
        return try #require(encoding.data(of: TestPicture.photo(400, 300)))
    }

    private static func server(of file: Data) throws -> LoopbackServer {
        try LoopbackServer { _, _ in LoopbackServer.Answer(body: file) }
    }

    @Test(
        "A JPEG without its end marker is drawn, whatever the settings say",
        arguments: [true, false]
    )
    func endMarker(isProgressive: Bool) async throws {
        let server = try Self.server(of: try Self.photo(isProgressive: isProgressive).dropLast(2))
        defer { server.stop() }
        try await TestService.run { test async throws in
            let reply = try await test.request(path(server.url("/photo.jpg"), "w:40"))
            #expect(reply.status == 200)
            #expect(reply.fields["cache-control"]?.hasPrefix("max-age") == true)
        }
    }

    @Test(
        "A source that ends early is refused, unless the settings accept it",
        arguments: [true, false]
    )
    func half(isProgressive: Bool) async throws {
        let photo = try Self.photo(isProgressive: isProgressive)
        let server = try Self.server(of: photo.prefix(photo.count / 2))
        defer { server.stop() }
        for accepts in [false, true] {
            try await TestService.run { configuration in
                configuration.processing.acceptsTruncatedSources = accepts
            } _: { test async throws in
                let reply = try await test.request(path(server.url("/photo.jpg"), "w:40"))
                #expect(reply.status == (accepts ? 200 : 422))
                guard accepts else { return }
                let image = try #require(KFCrossPlatformImage(data: Data(reply.body)))
                #expect((image.pixelWidth, image.pixelHeight) == (40, 30))
                let mark = Data(server.url("/mark.jpg").utf8).base64EncodedString()
                    .replacing("=", with: "")
                let marked = try await test.request(
                    path(server.url("/photo.jpg"), "w:40/wm:1/wmu:\(mark)")
                )
                #expect(marked.status == 422, "A watermark is kept, so it has to be whole.")
            }
        }
    }

    @Test("Neither a source that ends early nor its result is kept")
    func kept() async throws {
        let photo = try Self.photo(isProgressive: false)
        let file = Mutex(photo.prefix(photo.count / 2))
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(body: file.withLock { $0 })
        }
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestService.run { configuration in
            configuration.processing.acceptsTruncatedSources = true
            configuration.caches.path = folder.path
            configuration.responses.setsDebugFields = true
        } _: { test async throws in
            let url = path(server.url("/photo.jpg"), "w:40")
            for _ in 0..<2 {
                let reply = try await test.request(url)
                #expect(reply.fields["x-cache"] == "none")
                #expect(reply.fields["cache-control"] == "no-cache")
            }
            file.withLock { $0 = photo }
            let whole = try await test.request(url)
            #expect(whole.fields["x-cache"] == "none")
            #expect(whole.fields["cache-control"]?.hasPrefix("max-age") == true)
            #expect(try await test.request(url).fields["x-cache"] == "memory")
        }
        #expect(server.requests.count == 3)
    }
}
