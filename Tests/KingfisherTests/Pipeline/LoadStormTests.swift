import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(3)))
struct LoadStormTests {
    @Test func `1,000 loads of 100 URLs at once get the right images, and no more downloads`()
        async throws
    {
        let bench = try TestBench()
        let urls = (0..<100).map { bench.serveJPEG("/\($0).jpg", width: 16 + $0, height: 20) }
        // That of the process is used by other tests at the same time.
        let budget = ByteBudget(limit: ByteBudget.decoding.limit)
        let downloader = ImageDownloader(
            name: "storm",
            processing: ImageMaker(budget: budget)
        )
        downloader.downloadTimeout = 600
        let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
        try await withThrowingTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask {
                    let side = number % 3 == 0 ? 8 : 0
                    let options: KingfisherOptionsInfo =
                        side == 0
                        ? []
                        : [
                            .processor(
                                DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))
                            )
                        ]
                    let index = number % 100
                    let image = try await manager.retrieveImage(with: urls[index], options: options)
                    let long = max(16 + index, 20)
                    return image.image.pixelWidth
                        == (side == 0 ? 16 + index : (8 * (16 + index) + long / 2) / long)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        // One download each, and one more where the first had ended before another size came.
        #expect(bench.server.requests.count <= 200)
        #expect(downloader.downloads.running.isEmpty)
        #expect(downloader.downloads.isEmpty)
        #expect(budget.peak > 0)
        #expect(budget.peak <= budget.limit)
    }

    @Test func `a storm decodes no more bytes at once than the budget allows`() async throws {
        let bench = try TestBench()
        let size = (width: 320, height: 240)
        let bytes = size.width * size.height * 4
        let budget = ByteBudget(limit: 3 * bytes + bytes / 2)
        let downloader = ImageDownloader(
            name: "storm",
            processing: ImageMaker(budget: budget)
        )
        downloader.downloadTimeout = 600
        let urls = (0..<100).map {
            bench.serveJPEG("/\($0).jpg", width: size.width, height: size.height)
        }
        // Memory that keeps a tenth of the pictures, and nothing on disk.
        bench.cache.memoryStorage.config.totalCostLimit = 10 * bytes
        let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
        let kept = Locked(0)
        try await withThrowingTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask {
                    let result = try await manager.retrieveImage(
                        with: urls[number % 100],
                        options: [.cacheMemoryOnly, .callbackQueue(.untouch)]
                    )
                    let cost = manager.cache.memoryStorage.totalCacheCost()
                    kept.change { $0 = max($0, cost) }
                    return result.image.pixelWidth
                }
            }
            for try await width in group { #expect(width == size.width) }
        }
        #expect(budget.peak >= bytes)
        #expect(budget.peak <= budget.limit)
        #expect(budget.used == 0)
        #expect(kept.value <= 10 * bytes)
        #expect(downloader.downloads.isEmpty)
    }
}
