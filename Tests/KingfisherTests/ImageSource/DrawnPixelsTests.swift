import Foundation
import KFPixels
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

/// Images that providers of the library draw or decode for a load.
@Suite(.timeLimit(.minutes(2)))
struct DrawnPixelsTests {
    private let budget = ByteBudget(limit: 1 << 30)
    private let jobs: ImageMaker
    private let cache = ImageCache(memoryLimit: 1 << 24)
    private let manager: KingfisherManager
    private let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))

    init() {
        jobs = ImageMaker(budget: budget)
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "drawn", processing: jobs),
            cache: cache
        )
    }

    private func page(_ pool: WorkerPool) -> PDFPageDataProvider {
        var page = PDFPageDataProvider(url: DocumentBench.url("two.pdf"))
        page.pool = pool
        return page
    }

    @Test(.enabled(if: DocumentBench.hasPoppler))
    func `DOC-8 MGR-10: no file of a page is made for a processor`() async throws {
        let pool = DocumentBench.pool()
        let result = try await manager.retrieveImage(
            with: .provider(page(pool)),
            options: [.processor(small), .cacheMemoryOnly]
        )
        #expect(max(result.image.pixelWidth, result.image.pixelHeight) == 20)
        #expect(jobs.decodeCount == 0)
        #expect(result.data()?.kf.imageFormat == .PNG)
        pool.stop()
    }

    @Test(.enabled(if: DocumentBench.hasPoppler))
    func `DOC-8: the bytes of a page are those of its usual size`() async throws {
        let pool = DocumentBench.pool()
        let provider = page(pool)
        let bytes = try await manager.retrieveOriginalData(
            with: .provider(provider),
            options: [.cacheMemoryOnly]
        ).data
        #expect(try await bytes == provider.data())
        #expect(try #require(KFCrossPlatformImage(data: bytes)).pixelWidth > 20)
        pool.stop()
    }

    @Test(.enabled(if: DocumentBench.hasPoppler))
    func `DOC-8: a page that is not processed is stored as the file that is delivered`()
        async throws
    {
        let (pool, bench) = (DocumentBench.pool(), try TestBench())
        let provider = page(pool)
        let result = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.waitForCache]
        )
        let stored = try #require(await bench.cache.storedData(forKey: provider.cacheKey))
        #expect(stored == result.data())
        pool.stop()
    }

    @Test func `PRV-3: a thumbnail is decoded to size within the budget`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.jpg")
        try TestImage.jpeg(width: 1_280, height: 960).write(to: file)
        let provider = ThumbnailImageDataProvider(url: file, maxPixelSize: 20)
        let result = try await manager.retrieveImage(
            with: .provider(provider),
            options: [.cacheMemoryOnly]
        )
        #expect(result.image.pixelWidth == 20)
        #expect(budget.peak == 1_280 * 960 * 4 / 16)
        #expect(result.data()?.kf.imageFormat == .JPEG)
    }
}
