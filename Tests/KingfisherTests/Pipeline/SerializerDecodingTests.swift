import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Loads of entries on disk with serializers of the program's own.
@Suite(.timeLimit(.minutes(1)))
struct SerializerDecodingTests {
    private let bench: TestBench
    private let budget = ByteBudget(limit: 1 << 30)
    private let jobs: ImageMaker
    private let manager: KingfisherManager
    private let url: URL

    init() throws {
        bench = try TestBench()
        jobs = ImageMaker(budget: budget)
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "serialized", processing: jobs),
            cache: bench.cache
        )
        url = bench.serveJPEG("/a.jpg")
    }

    /// Forwards to the default serializer, and counts.
    private struct Forwarding: CacheSerializer {
        var saysSo = false
        let decodes = Locked(0)

        var usesDefaultDecoding: Bool { saysSo }

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            decodes.change { $0 += 1 }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    /// Writes files that only it can read.
    private struct Marking: CacheSerializer {
        static let mark = Data("marked".utf8)

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            image.pngData().map { Self.mark + $0 }
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            guard data.starts(with: Self.mark) else { return nil }
            let png = Data(data.dropFirst(Self.mark.count))
            return DefaultCacheSerializer.default.image(with: png, options: options)
        }
    }

    private static let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))

    private func load(
        _ serializer: any CacheSerializer,
        _ options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await manager.retrieveImage(
            with: url,
            options: options + [.cacheSerializer(serializer), .waitForCache]
        )
    }

    private func loadTen(
        _ serializer: any CacheSerializer,
        _ options: KingfisherOptionsInfo = []
    ) async throws -> Set<Int> {
        let file = bench.cache.file(of: url.cacheKey)
        defer { withExtendedLifetime(file) {} }
        return try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask { try await load(serializer, options).image.pixelWidth }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    @Test func `SER-8: a serializer decodes a file once for all loads that wait for it`()
        async throws
    {
        try await bench.cache.storeToDisk(TestImage.jpeg(width: 640), forKey: url.cacheKey)
        let serializer = Forwarding()
        #expect(try await loadTen(serializer) == [640])
        #expect(serializer.decodes.value == 1)
        #expect(jobs.decodeCount == 1)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `SER-9: a serializer that only forwards is not asked to decode`() async throws {
        try await bench.cache.storeToDisk(TestImage.jpeg(width: 640), forKey: url.cacheKey)
        let serializer = Forwarding(saysSo: true)
        #expect(try await loadTen(serializer) == [640])
        #expect(serializer.decodes.value == 0)
        #expect(jobs.decodeCount == 1)
    }

    @Test(arguments: [false, true])
    func `SER-10: an original is decoded to size whatever the serializer`(
        isSynchronous: Bool
    ) async throws {
        let original = TestImage.jpeg(width: 1_280, height: 960)
        try await bench.cache.storeToDisk(original, forKey: url.cacheKey)
        let options: KingfisherOptionsInfo =
            [.processor(Self.small)] + (isSynchronous ? [.loadDiskFileSynchronously] : [])
        #expect(try await loadTen(Marking(), options) == [20])
        #expect(jobs.decodeCount == 1)
        #expect(budget.peak == 1_280 * 960 * 4 / 16)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `SER-10: an original that the serializer wrote is decoded by it`() async throws {
        _ = try await load(Marking())
        bench.cache.clearMemoryCache()
        #expect(try await loadTen(Marking(), [.processor(Self.small)]) == [20])
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a file that its serializer refuses is loaded and stored again`() async throws {
        try await bench.cache.storeToDisk(TestImage.jpeg(), forKey: url.cacheKey)
        #expect(try await load(Marking()).cacheType == .none)
        bench.cache.clearMemoryCache()
        #expect(try await load(Marking()).cacheType == .disk)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a processor that refuses an image leaves the file of its serializer`() async throws
    {
        struct Refusing: ImageProcessor {
            let identifier = "refusing"
            func process(
                item: ImageProcessItem,
                options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? { nil }
        }
        _ = try await load(Marking())
        bench.cache.clearMemoryCache()
        let options: KingfisherOptionsInfo = [.processor(Self.small |> Refusing()), .onlyFromCache]
        let error = await #expect(throws: KingfisherError.self) {
            try await load(Marking(), options)
        }
        #expect(error?.errorCode == 4001)
        #expect(bench.cache.isCached(forKey: url.cacheKey))
    }
}
