import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Downloaders are released with their last reference, not when their thread wakes next.
@Suite(.timeLimit(.minutes(1)))
struct DownloaderLifetimeTests {
    private let server: ImageServer
    private let folder: TemporaryDirectory

    init() throws {
        server = try ImageServer()
        folder = try TemporaryDirectory()
        server.route("/a.jpg", .body(TestImage.jpeg(width: 8, height: 8), type: "image/jpeg"))
        server.route("/missing.jpg", .status(404))
    }

    /// Makes a downloader and a manager that open a gate when the downloader is released.
    private func manager(opening gate: Gate) throws -> KingfisherManager {
        let downloader = ImageDownloader(name: "test")
        // Its thread then has no reason to wake for ten minutes.
        downloader.downloadTimeout = 600
        let end = EndingObject { gate.open() }
        downloader.isNetworkConstrained = { withExtendedLifetime(end) { false } }
        let cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
        return KingfisherManager(downloader: downloader, cache: cache)
    }

    @Test(arguments: ["/a.jpg", "/missing.jpg"])
    func `a downloader ends with its manager after a load`(path: String) async throws {
        let gate = Gate()
        do {
            let manager = try manager(opening: gate)
            _ = try? await manager.retrieveImage(with: server.url(path))
        }
        await gate.wait()
    }

    @Test func `a downloader ends with its manager after a cancelled load`() async throws {
        let gate = Gate()
        let held = ServerGate()
        server.route("/held.jpg", .held(held, then: .status(404)))
        do {
            let manager = try manager(opening: gate)
            let url = server.url("/held.jpg")
            async let result = try? manager.retrieveImage(with: url)
            await held.reached()
            manager.downloader.cancelAll()
            _ = await result
        }
        await gate.wait()
        held.open()
    }

    @Test func `a downloader ends with its manager after a prefetch`() async throws {
        let gate = Gate()
        do {
            let manager = try manager(opening: gate)
            let done = Gate()
            let prefetcher = ImagePrefetcher(
                urls: [server.url("/a.jpg"), server.url("/missing.jpg")],
                options: [.downloader(manager.downloader), .targetCache(manager.cache)],
                completionHandler: { _, _, _ in done.open() }
            )
            prefetcher.start()
            await done.wait()
        }
        await gate.wait()
    }
}
