import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Images as the bytes of files.
@Suite(.timeLimit(.minutes(1)))
struct RetrievingDataTests {
    private let bench: TestBench
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 200, height: 150)
    private let small = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))

    init() throws {
        bench = try TestBench()
        bench.server.route("/a.jpg", .body(jpeg, type: "image/jpeg"))
        url = bench.server.url("/a.jpg")
    }

    private var requestCount: Int { bench.server.requests.count }
    private var decodeCount: Int { bench.downloader.processing.decodeCount }

    private func data(
        _ options: KingfisherOptionsInfo = [],
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try await bench.manager.retrieveData(
            with: url,
            options: options + [.waitForCache],
            as: encoding
        )
    }

    @Test func `a download comes as it is, and from the disk without being decoded`()
        async throws
    {
        let fresh = try await data()
        #expect(fresh.data == jpeg)
        #expect(fresh.contentType == "image/jpeg")
        #expect(fresh.cacheType == .none)
        #expect(fresh.metrics != nil)
        let decodes = decodeCount
        let stored = try await data()
        #expect(stored.data == jpeg)
        #expect(stored.cacheType == .disk)
        #expect(decodeCount == decodes)
        #expect(requestCount == 1)
    }

    @Test(arguments: [
        (ImageEncoding.webp(quality: 0.5), "image/webp"), (.avif(), "image/avif"),
        (.jpeg(quality: 0.5), "image/jpeg"), (.png, "image/png"), (.gif, "image/gif"),
        (.progressiveJPEG(quality: 0.5), "image/jpeg"),
    ])
    func `a format is written once, and then comes from the disk`(
        encoding: ImageEncoding,
        type: String
    ) async throws {
        let fresh = try await data([.processor(small)], as: encoding)
        #expect(fresh.contentType == type)
        #expect(fresh.format == encoding.format)
        #expect(try ImageFileInfo(data: fresh.data).size == CGSize(width: 100, height: 75))
        let decodes = decodeCount
        let stored = try await data([.processor(small)], as: encoding)
        #expect(stored.data == fresh.data)
        #expect(stored.cacheType == .disk)
        #expect(decodeCount == decodes)
        // The processed image is not there a second time.
        #expect(bench.cache.diskStorage.entries.count == 1)
    }

    @Test func `another quality is another file, of the same download`() async throws {
        let good = try await data(as: .webp(quality: 0.9))
        let poor = try await data(as: .webp(quality: 0.1))
        #expect(poor.data.count < good.data.count)
        #expect(requestCount == 1)
        #expect(try await data(as: .webp(quality: 0.9)).data == good.data)
    }

    @Test func `what the cache's serializer writes is written once`() async throws {
        let options: KingfisherOptionsInfo = [
            .processor(small),
            .cacheSerializer(FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.4)),
        ]
        let fresh = try await data(options)
        let stored = try await data(options)
        #expect(fresh.format == .JPEG)
        #expect(stored.data == fresh.data)
        #expect(stored.cacheType == .disk)
        let best = try await data([
            .processor(small), .forceRefresh, .cacheSerializer(FormatIndicatedCacheSerializer.jpeg),
        ])
        #expect(fresh.data.count < best.data.count)
        bench.cache.clearMemoryCache()
        let image = try await bench.manager.retrieveImage(with: url, options: options)
        #expect(image.cacheType == .disk)
    }

    @Test func `a file without loss is not written again`() async throws {
        let png = TestImage.png()
        bench.server.route("/a.jpg", .body(png, type: "image/png"))
        #expect(try await data(as: .png).data == png)
        let stored = try await data(as: .png)
        #expect(stored.data == png)
        #expect(stored.cacheType == .disk)
    }

    @Test func `an animation stays one`() async throws {
        bench.server.route("/a.jpg", .body(TestImage.gif, type: "image/gif"))
        let webp = try await data(as: .webp())
        #expect(try ImageFileInfo(data: webp.data).frameCount == 3)
        #expect(try await data(as: .gif).data == TestImage.gif)
    }

    @Test func `an image that another load has cached needs no download`() async throws {
        _ = try await bench.manager.retrieveImage(with: url, options: [.processor(small)])
        let webp = try await data([.processor(small)], as: .webp())
        #expect(webp.cacheType == .memory)
        #expect(webp.format == .WebP)
        #expect(requestCount == 1)
        #expect(try await data([.processor(small)], as: .webp()).cacheType == .disk)
    }

    @Test func `options about caches hold`() async throws {
        await #expect(throws: KingfisherError.self) { try await data([.onlyFromCache]) }
        #expect(requestCount == 0)
        _ = try await data(as: .webp())
        _ = try await data([.forceRefresh], as: .webp())
        #expect(requestCount == 2)
        bench.cache.clearMemoryCache()
        _ = try await data([.fromMemoryCacheOrRefresh], as: .webp())
        #expect(requestCount == 3)
        #expect(try await data([.onlyFromCache], as: .webp()).cacheType == .disk)
        _ = try await data([.cacheMemoryOnly], as: .avif())
        #expect(!bench.cache.diskStorage.entries.contains { $0.key?.contains("AVIF") == true })
    }

    @Test func `with HTTP caching the server is asked whether the file is fresh`() async throws {
        let options: KingfisherOptionsInfo = [.httpCaching]
        let first = try await data(options, as: .webp())
        let changed = TestImage.jpeg(width: 10, height: 10)
        bench.server.route("/a.jpg", .body(changed, type: "image/jpeg"))
        let second = try await data(options, as: .webp())
        // Without a word about freshness the answer is asked for again.
        #expect(requestCount == 2)
        #expect(second.data != first.data)
        #expect(try ImageFileInfo(data: second.data).size == CGSize(width: 10, height: 10))
        #expect(bench.cache.diskStorage.entries.count == 1)
    }

    @Test func `a damaged file is written again`() async throws {
        let fresh = try await data(as: .webp())
        let entry = try #require(
            bench.cache.diskStorage.entries.first { $0.key?.contains("WebP") == true }
        )
        try Data("no picture".utf8).write(to: entry.fileURL)
        #expect(try await data(as: .webp()).data == fresh.data)
    }

    @Test func `an image that its format cannot hold is an error that says so`() async throws {
        let long = ResizingImageProcessor(referenceSize: CGSize(width: 16_384, height: 1))
        let error = await #expect(throws: KingfisherError.self) {
            try await data([.processor(long)], as: .webp())
        }
        #expect(error?.errorCode == 3008)
    }

    /// Counts how often it encodes.
    private struct CountingSerializer: CacheSerializer {
        let count = Locked(0)

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            count.change { $0 += 1 }
            return DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(
            with data: Data,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test func `an image that is made of a cached original is encoded once`() async throws {
        _ = try await bench.manager.retrieveOriginalData(
            with: .network(url),
            options: [.waitForCache]
        )
        let serializer = CountingSerializer()
        _ = try await data([.processor(small), .cacheSerializer(serializer), .cacheMemoryOnly])
        #expect(requestCount == 1)
        #expect(serializer.count.value == 1)
    }

    /// Encodes until its task is cancelled.
    private struct PatientSerializer: CacheSerializer {
        let begun = Gate()
        let ended = Gate()

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            begun.open()
            let clock = ContinuousClock()
            let end = clock.now + .seconds(30)
            while !Task.isCancelled, clock.now < end { sched_yield() }
            if Task.isCancelled { ended.open() }
            return nil
        }

        func image(
            with data: Data,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? { nil }
    }

    @Test func `encoding ends when no caller waits for the file`() async throws {
        let serializer = PatientSerializer()
        let load = Task { try await data([.processor(small), .cacheSerializer(serializer)]) }
        await serializer.begun.wait()
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        await serializer.ended.wait()
    }

    @Test func `an image modifier changes no file`() async throws {
        let modifier = AnyImageModifier { _ in KFCrossPlatformImage() }
        let result = try await data([.imageModifier(modifier)], as: .webp())
        #expect(try ImageFileInfo(data: result.data).size == CGSize(width: 200, height: 150))
    }

    @Test(arguments: [CGFloat.nan, .infinity, -1, 2])
    func `a quality that is none is brought inside`(quality: CGFloat) {
        #expect((0...1).contains(ImageEncoding.webp(quality: quality).quality))
    }
}
