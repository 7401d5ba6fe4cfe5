import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct RetrievingTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    @Test func `MGR-2: none, memory, disk, none`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let manager = bench.manager
        let options: KingfisherOptionsInfo = [.waitForCache]
        let fresh = try await manager.retrieveImage(with: url, options: options)
        #expect(fresh.cacheType == .none)
        #expect(fresh.image.size == CGSize(width: 64, height: 48))
        #expect(try await manager.retrieveImage(with: url).cacheType == .memory)
        manager.cache.clearMemoryCache()
        let fromDisk = try await manager.retrieveImage(with: url)
        #expect(fromDisk.cacheType == .disk)
        #expect(fromDisk.image.size == fresh.image.size)
        manager.cache.clearMemoryCache()
        await manager.cache.clearDiskCache()
        #expect(try await manager.retrieveImage(with: url).cacheType == .none)
        #expect(bench.server.requests(for: "/a.jpg").count == 2)
    }

    @Test func `W-7: hits are returned without a hop, so in the order of the calls`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let order = Locked<[Int]>([])
        let loads = (0..<50).map { index in
            Task.immediate { [manager = bench.manager] in
                let type = try await manager.retrieveImage(with: url).cacheType
                order.change { $0.append(index) }
                return type
            }
        }
        // They are here before anything was waited for.
        #expect(order.value == Array(0..<50))
        for load in loads { #expect(try await load.value == .memory) }
    }

    @Test func `MGR-3: a processed image is another entry`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let processor = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
        let small = try await bench.manager.retrieveImage(
            with: url,
            options: [.processor(processor), .waitForCache]
        )
        #expect(small.image.size == CGSize(width: 16, height: 12))
        let cache = bench.cache
        #expect(cache.isCached(forKey: url.cacheKey, processorIdentifier: processor.identifier))
        #expect(!cache.isCached(forKey: url.cacheKey))
    }

    @Test func `MGR-4 MGR-5: a cached original is processed without a download`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let round: KingfisherOptionsInfo = [
            .processor(RoundCornerImageProcessor(cornerRadius: 8)), .cacheOriginalImage,
            .waitForCache,
        ]
        _ = try await bench.manager.retrieveImage(with: url, options: round)
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .disk)
        let small = try await bench.manager.retrieveImage(
            with: url,
            options: [
                .processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 6))),
                .waitForCache,
            ]
        )
        #expect(small.cacheType == .none)
        #expect(small.image.size == CGSize(width: 8, height: 6))
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-8: a damaged file is a miss and is loaded again`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let path = bench.cache.cachePath(forKey: url.cacheKey)
        try Data("this is no picture".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await bench.manager.retrieveImage(with: url).cacheType == .none)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `MGR-8: a stored file that is no image is a miss and is removed`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        try await bench.cache.storeToDisk(Data("no picture".utf8), forKey: url.cacheKey)
        let result = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.cacheType == .none)
        bench.cache.clearMemoryCache()
        #expect(try await bench.manager.retrieveImage(with: url).cacheType == .disk)
    }

    @Test func `OPT-12: forceRefresh consults no cache`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let again = try await bench.manager.retrieveImage(
            with: url,
            options: [.forceRefresh, .onlyFromCache]
        )
        #expect(again.cacheType == .none)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `OPT-12: onlyFromCache fails on a miss`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url, options: [.onlyFromCache])
        }
        #expect(error?.errorCode == 3006)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `OPT-12: fromMemoryCacheOrRefresh skips the disk`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let result = try await bench.manager.retrieveImage(
            with: url,
            options: [.fromMemoryCacheOrRefresh]
        )
        #expect(result.cacheType == .none)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `OPT-14: cacheMemoryOnly keeps the image off the disk`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(
            with: url,
            options: [.cacheMemoryOnly, .waitForCache]
        )
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .memory)
        bench.cache.clearMemoryCache()
        #expect(bench.cache.imageCachedType(forKey: url.cacheKey) == .none)
    }

    @Test func `MGR-9 MGR-10 MGR-11: the result has source, bytes and metrics`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let fresh = try await bench.manager.retrieveImage(with: url)
        #expect(fresh.source == .network(url))
        #expect(fresh.originalSource == .network(url))
        #expect(fresh.data() == TestImage.jpeg())
        #expect(fresh.metrics?.httpStatusCode == 200)
        let cached = try await bench.manager.retrieveImage(with: url)
        #expect(cached.metrics == nil)
        #expect(cached.data() != nil)
    }

    @Test func `MGR-12: the modified image is delivered and not cached`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let modifier = AnyImageModifier { $0.kf.scaled(to: 4) }
        let options: KingfisherOptionsInfo = [.imageModifier(modifier)]
        for _ in 0..<2 {
            let result = try await bench.manager.retrieveImage(with: url, options: options)
            #expect(result.image.scale == 4)
        }
        #expect(try await bench.manager.retrieveImage(with: url).image.scale == 1)
    }

    @Test func `W-46: untouched bytes are stored as they came`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        let file = try #require(bench.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey))
        #expect(try Data(contentsOf: file) == TestImage.jpeg())
    }

    @Test func `stages are timed`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let fresh = try await bench.manager.retrieveImage(with: url)
        #expect(fresh.timings.fetch != nil)
        #expect(fresh.timings.process != nil)
        #expect(fresh.timings.total != nil)
        let cached = try await bench.manager.retrieveImage(with: url)
        #expect(cached.timings.fetch == nil)
        #expect(cached.timings.lookup != nil)
    }

    @Test func `processing a cached original is timed as processing`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        let found = Locked<[String]>([])
        let observation = bench.manager.observeLoads { event in
            if case .began(let stage) = event.kind { found.change { $0.append(stage.rawValue) } }
        }
        let blurred = try await bench.manager.retrieveImage(
            with: url,
            options: [.processor(BlurImageProcessor(blurRadius: 2))]
        )
        observation.cancel()
        #expect(blurred.timings.process != nil)
        #expect(blurred.timings.store != nil)
        #expect(blurred.timings.fetch == nil)
        #expect(found.value == ["lookup", "process", "store"])
    }

    @Test func `one processing serves a manager and its downloader`() async throws {
        let processor = CountingProcessor()
        let gate = ServerGate()
        let body = TestImage.jpeg()
        bench.server.route("/a.jpg", .held(gate, then: .body(body, type: "image/jpeg")))
        let url = bench.server.url("/a.jpg")
        let manager = bench.manager
        let options: KingfisherOptionsInfo = [.processor(processor)]
        let viaManager = Task.immediate {
            try await manager.retrieveImage(with: url, options: options).image
        }
        let direct = Task.immediate { () async throws -> KFCrossPlatformImage in
            try await withCheckedThrowingContinuation { continuation in
                let options = KingfisherParsedOptionsInfo(options + [.callbackQueue(.untouch)])
                manager.downloader.downloadImage(with: url, options: options) {
                    continuation.resume(with: $0.map(\.image))
                }
            }
        }
        await bench.server.received(1)
        gate.open()
        let images = try await (viaManager.value, direct.value)
        #expect(images.0 === images.1)
        #expect(processor.runs.value == 1)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a provider's bytes go the same way`() async throws {
        let provider = RawImageDataProvider(data: TestImage.png(), cacheKey: "raw")
        let source = provider.convertToSource()
        let first = try await bench.manager.retrieveImage(with: source, options: [.waitForCache])
        #expect(first.cacheType == .none)
        #expect(try await bench.manager.retrieveImage(with: source).cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await bench.manager.retrieveImage(with: source).cacheType == .disk)
    }
}

/// A processor of a user's, which counts how often it runs, and decodes or refuses.
struct CountingProcessor: ImageProcessor {
    var identifier = "test.counting"
    var isRefusing = false
    let runs = Locked(0)

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        runs.change { $0 += 1 }
        return isRefusing
            ? nil : DefaultImageProcessor.default.process(item: item, options: options)
    }
}
