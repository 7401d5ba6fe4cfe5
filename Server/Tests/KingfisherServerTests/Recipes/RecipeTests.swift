import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// Runs the recipes of the article *Servers*: the other files of this folder are its snippets.
@Suite(.timeLimit(.minutes(2)))
struct RecipeTests {
    private let manager: KingfisherManager

    init() {
        let downloader = ImageDownloader(name: "recipes")
        manager = KingfisherManager(
            downloader: downloader,
            cache: ImageCache(memoryLimit: 64 << 20)
        )
    }

    private func url(_ server: LoopbackServer, _ path: String) throws -> URL {
        try #require(URL(string: server.url(path)))
    }

    @Test("Many thumbnails are made at once, and sources that fail are left out")
    func many() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let urls = try ["/photo.png", "/broken", "/missing"].map { try url(server, $0) }
        let found = await thumbnails(of: urls, by: manager)
        #expect(Array(found.keys) == [urls[0]])
        #expect(found[urls[0]]?.kf.imageFormat == .JPEG)
    }

    @Test("A load that takes longer than its bound is cancelled")
    func bound() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await #expect(throws: RequestTimedOut.self) {
            try await within(.milliseconds(1)) {
                // Ends when the task is cancelled.
                for await _ in stream {}
                throw CancellationError()
            }
        }
        continuation.finish()
    }

    @Test("A thumbnail within the bound is a JPEG")
    func thumbnail() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let result = try await KingfisherServerTests.thumbnail(
            of: url(server, "/photo.png"),
            by: manager
        )
        #expect(result.contentType == "image/jpeg")
    }

    @Test(
        "Each failure has its status",
        arguments: [("/missing", 404), ("/fails", 502), ("/text", 422), ("/broken", 422)]
    )
    func statuses(path: String, expected: Int) async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let url = try url(server, path)
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: url)
        }
        #expect(error.map { status(for: $0) } == expected)
    }

    @Test("An address that is not allowed is 403, and loads are counted")
    func counts() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let counts = LoadCounts()
        let observation = counts.observe(manager)
        defer { observation.cancel() }
        let photo = try url(server, "/photo.png")
        _ = try await manager.retrieveImage(with: photo)
        _ = try await manager.retrieveImage(with: photo)
        manager.downloader.transferSettings.addressPolicy = .publicOnly
        let refused = try url(server, "/fails")
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: refused)
        }
        #expect(error.map { status(for: $0) } == 403)
        #expect(counts.page.contains("loads{layer=\"none\"} 1\n"))
        #expect(counts.page.contains("loads{layer=\"memory\"} 1\n"))
        #expect(counts.page.contains("failures{code="))
    }
}
