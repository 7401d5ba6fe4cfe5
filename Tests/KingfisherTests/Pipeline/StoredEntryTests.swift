import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Entries on disk are decoded like downloads: once for all, to size, within the budget.
@Suite(.timeLimit(.minutes(1)))
struct StoredEntryTests {
    private let bench: TestBench
    private let budget = ByteBudget(limit: 1 << 30)
    private let jobs: ImageMaker
    private let manager: KingfisherManager
    private let url: URL

    init() throws {
        bench = try TestBench()
        jobs = ImageMaker(budget: budget)
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "stored", processing: jobs),
            cache: bench.cache
        )
        url = bench.server.url("/a.jpg")
    }

    private func store(_ data: Data, processor: String = "") async throws {
        try await bench.cache.storeToDisk(
            data,
            forKey: url.cacheKey,
            processorIdentifier: processor
        )
    }

    private func load(
        _ options: KingfisherOptionsInfo = [],
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> RetrieveImageResult {
        let options = KingfisherParsedOptionsInfo(manager.resolved(options))
        let request = manager.request(.network(url), options, isStillWanted: isStillWanted)
        return try await manager.load(request)
    }

    private static let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))

    @Test func `ten loads of one image on disk decode it once, within the budget`() async throws {
        try await store(TestImage.jpeg(width: 640, height: 480))
        let file = bench.cache.file(of: url.cacheKey)
        defer { withExtendedLifetime(file) {} }
        let types = try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await load().cacheType } }
            return try await group.reduce(into: Set<CacheType>()) { $0.insert($1) }
        }
        #expect(types.isSubset(of: [.disk, .memory]))
        #expect(jobs.decodeCount == 1)
        #expect(budget.peak == 640 * 480 * 4)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `a cached original is decoded straight to the size that is asked for`() async throws
    {
        try await store(TestImage.jpeg(width: 1_280, height: 960))
        let file = bench.cache.file(of: url.cacheKey)
        defer { withExtendedLifetime(file) {} }
        let types = try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask { try await load([.processor(Self.small)]).image.pixelWidth }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(types == [20])
        #expect(jobs.decodeCount == 1)
        #expect(budget.peak == 1_280 * 960 * 4 / 16)
        // The whole original never was an image, so memory has none.
        #expect(!bench.cache.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(try await load([.processor(Self.small)]).cacheType == .memory)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `several sizes of one original each decode to their own`() async throws {
        try await store(TestImage.jpeg(width: 640, height: 480))
        try await withThrowingTaskGroup { group in
            for side in 1...8 {
                group.addTask {
                    let size = CGSize(width: side * 8, height: side * 8)
                    let image = try await load([.processor(DownsamplingImageProcessor(size: size))])
                    #expect(image.image.pixelWidth == side * 8)
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `a storm on cached originals holds a few decodes at once`() async throws {
        let original = TestImage.jpeg(width: 640, height: 480)
        for number in 0..<20 {
            try await bench.cache.storeToDisk(
                original,
                forKey: bench.server.url("/\(number)").cacheKey
            )
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let size = CGSize(width: 20 + number, height: 20 + number)
                    let result = try await manager.retrieveImage(
                        with: bench.server.url("/\(number % 20)"),
                        options: [
                            .processor(DownsamplingImageProcessor(size: size)), .cacheMemoryOnly,
                        ]
                    )
                    #expect(result.image.pixelWidth == 20 + number)
                }
            }
            try await group.waitForAll()
        }
        // As many as begin at once, each with a quarter of its original or ten images of it.
        let most = max(640 * 480 * 4 / 4, 10 * 220 * 165 * 4)
        let beginnings = 2 * ProcessInfo.processInfo.activeProcessorCount
        #expect(budget.peak <= beginnings * most)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `raw bytes of a processed entry are decoded straight to size`() async throws {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        try await store(
            TestImage.jpeg(width: 640, height: 480),
            processor: Self.small.identifier
        )
        let options: KingfisherOptionsInfo = [
            .processor(Self.small), .cacheSerializer(serializer),
        ]
        let first = try await load(options)
        #expect(first.cacheType == .disk)
        #expect(first.image.pixelWidth == 20)
        #expect(budget.peak == 640 * 480 * 4 / 16)
        let second = try await load(options)
        #expect(second.cacheType == .memory)
        #expect(second.image.pixelWidth == 20)
        #expect(jobs.decodeCount == 1)
    }

    @Test(arguments: [true, false])
    func `a damaged entry is loaded and stored again`(isOriginal: Bool) async throws {
        bench.serveJPEG("/a.jpg")
        let processor: any ImageProcessor = Self.small
        let id = isOriginal ? "" : processor.identifier
        try await store(Data("no picture".utf8), processor: id)
        let loaded = try await load([.processor(processor), .waitForCache])
        #expect(loaded.cacheType == .none)
        #expect(loaded.image.pixelWidth == 20)
        #expect(bench.server.requests.count == 1)
        bench.cache.clearMemoryCache()
        #expect(try await load([.processor(processor)]).cacheType == .disk)
    }

    @Test func `a load that lost interest spoils no other's image`() async throws {
        try await store(TestImage.jpeg(width: 640, height: 480))
        for _ in 0..<20 {
            bench.cache.clearMemoryCache()
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        let isWanted = number % 2 == 1
                        let result = try? await load(isStillWanted: { isWanted })
                        #expect(result != nil || !isWanted)
                    }
                }
            }
        }
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `a cancelled load of an image on disk delivers it all the same`() async throws {
        try await store(TestImage.jpeg())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            let request = manager.request(
                .network(url),
                KingfisherParsedOptionsInfo(manager.resolved(nil))
            )
            return try await manager.load(request).cacheType
        }
        task.cancel()
        #expect(try await task.value == .disk)
    }

    @Test func `limits on results leave the decoder its own`() async throws {
        // Interlaced: the whole picture is held before it is reduced.
        try await store(TestImage.gif)
        let size = CGSize(width: 4, height: 3)
        let result = try await load([
            .processor(ResizingImageProcessor(referenceSize: size)),
            .resultLimits(ResultLimits(maxPixelCount: 12, maxSide: 4)),
        ])
        #expect(result.image.pixelWidth == 4)
    }
}
