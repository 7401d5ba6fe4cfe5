import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which options a load goes by, and what they do to the caches.
@Suite(.timeLimit(.minutes(1)))
struct ManagerOptionTests {
    let bench: TestBench
    let otherFolder: TemporaryDirectory
    let other: ImageCache
    let blur = BlurImageProcessor(blurRadius: 2)

    init() throws {
        bench = try TestBench()
        otherFolder = try TemporaryDirectory()
        other = try ImageCache(name: "other", cacheDirectoryURL: otherFolder.url)
    }

    @Test func `OPT-4: the original cache is the target cache of the same list`() {
        #expect(KingfisherParsedOptionsInfo([]).originalCache == nil)
        #expect(KingfisherParsedOptionsInfo([.targetCache(other)]).originalCache === other)
        let both = KingfisherParsedOptionsInfo([.originalCache(bench.cache), .targetCache(other)])
        #expect(both.originalCache === bench.cache)
    }

    @Test func `OPT-6: the call's options beat the defaults, and these the manager's parts`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        bench.manager.defaultOptions = [.targetCache(other), .waitForCache]
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(other.isCached(forKey: url.cacheKey))
        #expect(!bench.cache.isCached(forKey: url.cacheKey))
        _ = try await bench.manager.retrieveImage(with: url, options: [.targetCache(bench.cache)])
        #expect(bench.cache.isCached(forKey: url.cacheKey))
    }

    @Test func `OPT-7: a call's target cache takes the originals too`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(
            with: url,
            options: [.targetCache(other), .processor(blur), .cacheOriginalImage, .waitForCache]
        )
        #expect(other.imageCachedType(forKey: url.cacheKey) == .disk)
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .none)
    }

    @Test func `OPT-9 MGR-12: the downloader alone knows no manager's defaults`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        bench.manager.defaultOptions = [.processor(blur), .scaleFactor(2)]
        let image = try await bench.downloader.downloadImage(
            with: url,
            options: [.imageModifier(AnyImageModifier { $0.kf.scaled(to: 4) })]
        ).image
        #expect(image.scale == 1)
        #expect(!bench.cache.isCached(forKey: url.cacheKey))
    }

    @Test func `OPT-15: an original is kept on disk, for another processor alone`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let plain = bench.serveJPEG("/b.jpg")
        let options: KingfisherOptionsInfo = [.cacheOriginalImage, .cacheMemoryOnly, .waitForCache]
        _ = try await bench.manager.retrieveImage(with: url, options: options + [.processor(blur)])
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .disk)
        _ = try await bench.manager.retrieveImage(with: plain, options: options)
        #expect(bench.cache.imageCachedType(forKey: plain.cacheKey) == .memory)
    }

    @Test func `OPT-16: processors of one identifier are the same`() async throws {
        struct Named: ImageProcessor {
            let identifier = "same"
            let side: CGFloat
            func process(
                item: ImageProcessItem,
                options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? {
                DownsamplingImageProcessor(size: CGSize(width: side, height: side))
                    .process(item: item, options: options)
            }
        }
        let url = bench.serveJPEG("/a.jpg")
        let manager = bench.manager
        _ = try await manager.retrieveImage(with: url, options: [.processor(Named(side: 8))])
        let again = try await manager.retrieveImage(
            with: url,
            options: [.processor(Named(side: 9))]
        )
        #expect(again.cacheType == .memory)
        #expect(again.image.pixelWidth == 8)
    }

    @Test func `MGR-33 MGR-34: a forced extension counts for image and original`() async throws {
        let url = bench.serveJPEG("/a")
        let options: KingfisherOptionsInfo = [
            .processor(blur), .cacheOriginalImage, .waitForCache, .forcedCacheFileExtension("jpg"),
        ]
        _ = try await bench.manager.retrieveImage(with: url, options: options)
        let key = url.cacheKey
        #expect(bench.cache.cacheFileURLIfOnDisk(forKey: key, forcedExtension: "jpg") != nil)
        #expect(bench.cache.cacheFileURLIfOnDisk(forKey: key) == nil)
        bench.cache.clearMemoryCache()
        #expect(
            try await bench.manager.retrieveImage(with: url, options: options).cacheType == .disk
        )
        let small: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))),
            .forcedCacheFileExtension("jpg"),
        ]
        _ = try await bench.manager.retrieveImage(with: url, options: small)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-28 MGR-29: memory has the image at completion, the disk with waitForCache`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .memory)
        let waited = bench.serveJPEG("/b.jpg")
        _ = try await bench.manager.retrieveImage(
            with: waited,
            options: [.waitForCache, .processor(blur), .cacheOriginalImage]
        )
        bench.cache.clearMemoryCache()
        let key = waited.cacheKey
        #expect(bench.cache.imageCachedType(forKey: key) == .disk)
        let id = blur.identifier
        #expect(bench.cache.imageCachedType(forKey: key, processorIdentifier: id) == .disk)
    }

    @Test func `MGR-26: an asynchronous probe finds what the synchronous one finds`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let manager = bench.manager
        let options: KingfisherOptionsInfo = [.asyncCacheTypeCheck, .waitForCache]
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: url, options: options + [.onlyFromCache])
        }
        #expect(error?.errorCode == 3006)
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .none)
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .disk)
    }

    @Test func `a replaced default option may use the manager as it ends`() {
        final class Modifier: ImageDownloadRequestModifier {
            let manager: KingfisherManager
            init(_ manager: KingfisherManager) { self.manager = manager }
            deinit { #expect(manager.defaultOptions.isEmpty) }
            func modified(for request: URLRequest) -> URLRequest? { request }
        }
        bench.manager.defaultOptions = [.requestModifier(Modifier(bench.manager))]
        bench.manager.defaultOptions = []
    }
}
