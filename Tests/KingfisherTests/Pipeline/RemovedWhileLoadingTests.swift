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

    enum Way: CaseIterable {
        case image, everything
        /// Without waiting for the disk.
        case everythingSoon
    }

    private static let flip = FlippingImageProcessor(.vertical)

    private func remove(_ way: Way) async {
        switch way {
        case .image:
            // They throw, because there are no files.
            for identifier in ["", Self.flip.identifier] {
                try? await cache.removeImage(
                    forKey: url.cacheKey,
                    processorIdentifier: identifier
                )
            }
        case .everything: await cache.clearCache()
        case .everythingSoon: cache.clearCache(completion: nil)
        }
    }

    @Test(
        arguments: [[], [.httpCaching], [.cacheOriginalImage, .processor(flip)]]
            as [KingfisherOptionsInfo],
        Way.allCases
    )
    func `CAC-32: an image removed during its load is delivered, but neither kept nor shared`(
        options: KingfisherOptionsInfo,
        way: Way
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let before = load(options)
        await transport.started(1)
        await remove(way)
        let after = load(options)
        await transport.started(2)
        try transport.transfer(0).complete(file(width: 8))
        #expect(try await before.value == 8)
        await cache.flush()
        for identifier in ["", Self.flip.identifier] {
            let key = url.cacheKey
            #expect(!cache.isCached(forKey: key, processorIdentifier: identifier))
        }
        try transport.transfer(1).complete(file(width: 12))
        #expect(try await after.value == 12)
        await cache.flush()
        #expect(try await load(options + [.onlyFromCache]).value == 12)
        cache.clearMemoryCache()
        #expect(try await load(options + [.onlyFromCache]).value == 12)
    }

    @Test func `CAC-32: nor is a file that is made of it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let before = Task { [manager, url] in
            try await manager.retrieveData(with: .network(url), as: .webp())
        }
        await transport.started(1)
        await remove(.everything)
        try transport.transfer(0).complete(file(width: 8))
        #expect(try await before.value.cacheType == .none)
        await cache.flush()
        #expect(try await cache.diskStorageSize == 0)
    }

    @Test func `an original removed from a cache of its own leaves the image`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let originals = try ImageCache(name: "originals", cacheDirectoryURL: folder)
        let loaded = load([.cacheOriginalImage, .originalCache(originals), .processor(Self.flip)])
        await transport.started(1)
        try? await originals.removeImage(forKey: url.cacheKey)
        try transport.transfer(0).complete(file(width: 8))
        #expect(try await loaded.value == 8)
        await cache.flush()
        await originals.flush()
        let identifier = Self.flip.identifier
        #expect(!originals.isCached(forKey: url.cacheKey))
        #expect(cache.isCached(forKey: url.cacheKey, processorIdentifier: identifier))
    }
}
