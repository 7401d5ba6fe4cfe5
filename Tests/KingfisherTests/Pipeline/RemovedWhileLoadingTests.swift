import Foundation
import Kingfisher
import KingfisherTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Images that are removed while a load makes them.
@Suite(.timeLimit(.minutes(1)))
struct RemovedWhileLoadingTests {
    private let transport = FakeTransport()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)
    private let cache: ImageCache
    private let manager: KingfisherManager
    private let url = URL(string: "http://images.example/a.png") ?? URL(fileURLWithPath: "/")

    init() throws {
        cache = try ImageCache(name: "removal", cacheDirectoryURL: folder)
        let downloader = ImageDownloader(name: "removal", transport: transport)
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    private func file(width: Int) -> Data {
        ScriptedPicture.gradient(from: .red, to: .blue, width: width, height: 8).data()
    }

    /// Loads the image, and returns its width.
    private func load(_ options: KingfisherOptionsInfo) -> Task<CGFloat, any Error> {
        Task { [manager, url] in
            let options = options + [.callbackQueue(.untouch)]
            return try await manager.retrieveImage(with: url, options: options).image.size.width
        }
    }

    @Test(
        arguments: [[], [.httpCaching], [.cacheOriginalImage]] as [KingfisherOptionsInfo],
        [false, true]
    )
    func `CAC-32: an image removed during its load is delivered, but neither kept nor shared`(
        options: KingfisherOptionsInfo,
        clearsCache: Bool
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let before = load(options)
        await transport.started(1)
        if clearsCache {
            await cache.clearCache()
        } else {
            // It throws, because there is no file.
            try? await cache.removeImage(forKey: url.cacheKey)
        }
        let after = load(options)
        await transport.started(2)
        try transport.transfer(0).complete(file(width: 8))
        #expect(try await before.value == 8)
        await cache.flush()
        #expect(!cache.isCached(forKey: url.cacheKey))
        try transport.transfer(1).complete(file(width: 12))
        #expect(try await after.value == 12)
        await cache.flush()
        #expect(try await load(options + [.onlyFromCache]).value == 12)
        cache.clearMemoryCache()
        #expect(try await load(options + [.onlyFromCache]).value == 12)
    }
}
