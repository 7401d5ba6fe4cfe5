import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// The bytes of sources, without decoding.
@Suite(.timeLimit(.minutes(1)))
struct RetrievingOriginalDataTests {
    private let bench: TestBench
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 200, height: 150)

    init() throws {
        bench = try TestBench()
        bench.server.route(
            "/a.jpg",
            .body(jpeg, type: "image/jpeg", fields: [("ETag", "\"one\"")])
        )
        url = bench.server.url("/a.jpg")
    }

    private func original(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveDataResult
    {
        try await bench.manager.retrieveOriginalData(
            with: .network(url),
            options: options + [.waitForCache]
        )
    }

    @Test func `a download comes as it is, and then from the disk`() async throws {
        let fresh = try await original()
        #expect(fresh.data == jpeg)
        #expect(fresh.cacheType == .none)
        #expect(fresh.response?.fields.contains { $0.name == "ETag" } == true)
        let stored = try await original()
        #expect(stored.data == jpeg)
        #expect(stored.cacheType == .disk)
        #expect(stored.response == nil)
        #expect(bench.server.requests.count == 1)
        #expect(bench.cache.memoryStorage.isCached(forKey: url.absoluteString) == false)
    }

    @Test func `an option about the caller's thread does not keep from the disk`() async throws {
        _ = try await original([.loadDiskFileSynchronously])
        #expect(try await original([.loadDiskFileSynchronously]).cacheType == .disk)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `the bytes of a subclassed cache are downloaded, as their explanation says`()
        async throws
    {
        final class Subclass: ImageCache, @unchecked Sendable {}
        let folder = try TemporaryDirectory()
        let cache = try Subclass(name: "subclass", cacheDirectoryURL: folder.url)
        let options: KingfisherOptionsInfo = [.targetCache(cache)]
        _ = try await original(options)
        var parsed = KingfisherParsedOptionsInfo(options + [.cacheOriginalImage])
        parsed.processor = OriginalBytesProcessor()
        let explanation = bench.manager.request(.network(url), parsed).explanation
        #expect(explanation.disk == .notAsked)
        #expect(explanation.outcome == .download)
        _ = try await original(options)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `other loads make their images of the same original`() async throws {
        _ = try await original()
        let small = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        let made = try await bench.manager.retrieveImage(with: url, options: [.processor(small)])
        #expect(made.image.pixelWidth == 100)
        // An image in memory has no bytes.
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(try await original().data == jpeg)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `with HTTP caching the stored response comes with the bytes`() async throws {
        _ = try await original([.httpCaching])
        bench.server.route("/a.jpg", .status(304))
        let checked = try await original([.httpCaching])
        #expect(checked.data == jpeg)
        #expect(checked.cacheType == .disk)
        #expect(checked.response?.fields.contains { $0 == ("etag", "\"one\"") } == true)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `bytes from the cache come with their age and the fields that the rules name`()
        async throws
    {
        bench.server.route(
            "/a.jpg",
            .body(
                jpeg,
                type: "image/jpeg",
                fields: [
                    ("Cache-Control", "max-age=1000"), ("Age", "70"), ("X-Author", "me"),
                    ("X-Other", "them"),
                ]
            )
        )
        bench.cache.httpCachingRules.keptFields = ["X-Author"]
        _ = try await original([.httpCaching])
        let stored = try await original([.httpCaching])
        #expect(stored.cacheType == .disk)
        let age = try #require(stored.response?.value(for: "Age").flatMap { Int($0) })
        #expect((70..<130).contains(age))
        #expect(stored.response?.value(for: "X-Author") == "me")
        #expect(stored.response?.value(for: "X-Other") == nil)
    }

    @Test func `observers learn which layer of the originals missed, and why`() async throws {
        let misses = Locked<[String]>([])
        let observation = bench.manager.observeLoads { event in
            guard case .miss(let layer, let reason) = event.kind else { return }
            misses.change { $0.append("\(layer): \(reason)") }
        }
        _ = try await original()
        #expect(misses.value == ["memory: not stored", "disk: not stored"])
        misses.change { $0 = [] }
        _ = try await original([.cacheMemoryOnly])
        #expect(misses.value == ["memory: not stored", "disk: \(CacheMissReason.notAsked)"])
        withExtendedLifetime(observation) {}
    }

    @Test func `a shared cache stores no private response`() async throws {
        for (isShared, count) in [(false, 1), (true, 3)] {
            bench.server.route(
                "/a.jpg",
                .body(jpeg, type: "image/jpeg", fields: [("Cache-Control", "private, max-age=99")])
            )
            bench.cache.httpCachingRules.isShared = isShared
            for _ in 0..<2 { _ = try await original([.httpCaching]) }
            #expect(bench.server.requests.count == count)
            bench.cache.removeImage(forKey: url.absoluteString, completionHandler: nil)
        }
    }

    @Test(arguments: ["max-age=99", "max-age=99, public"])
    func `a shared cache keeps responses to authorized requests only with permission`(
        control: String
    ) async throws {
        bench.server.route(
            "/a.jpg",
            .body(jpeg, type: "image/jpeg", fields: [("Cache-Control", control)])
        )
        let modifier = AnyModifier {
            var request = $0
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            return request
        }
        for (isShared, count) in [(false, 1), (true, control.contains("public") ? 2 : 3)] {
            bench.cache.httpCachingRules.isShared = isShared
            for _ in 0..<2 { _ = try await original([.httpCaching, .requestModifier(modifier)]) }
            #expect(bench.server.requests.count == count)
            bench.cache.removeImage(forKey: url.absoluteString, completionHandler: nil)
        }
    }

    @Test func `in memory alone the bytes are kept as long as the options say`() async throws {
        let options: KingfisherOptionsInfo = [
            .cacheMemoryOnly, .httpCaching,
            .requestModifier(
                AnyModifier {
                    var request = $0
                    request.setValue("max-stale", forHTTPHeaderField: "Cache-Control")
                    return request
                }
            ),
        ]
        let cache = ImageCache(memoryLimit: 1 << 20)
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        for type in [CacheType.none, .memory, .memory] {
            let loaded = try await manager.retrieveOriginalData(
                with: .network(url),
                options: options
            )
            #expect(loaded.data == jpeg)
            #expect(loaded.cacheType == type)
            #expect(loaded.response?.value(for: "ETag") == "\"one\"")
        }
        #expect(cache.memoryStorageCacheCost == jpeg.count)
        // An image of the same key is not made of nothing.
        let image = try await manager.retrieveImage(with: url, options: [.cacheMemoryOnly])
        #expect(image.image.pixelWidth == 200)
        // The overload without a handler throws, because there is no file.
        cache.removeImage(forKey: url.absoluteString, completionHandler: nil)
        _ = try await manager.retrieveOriginalData(with: .network(url), options: options)
        #expect(bench.server.requests.count == 3)
    }

    @Test func `bytes in memory are removed with the original, also by another cache`() async throws
    {
        let options: KingfisherOptionsInfo = [.memoryCacheExpiration(.seconds(600))]
        for type in [CacheType.none, .memory] {
            #expect(try await original(options).cacheType == type)
        }
        // As another machine or cache does, which does not know of the memory.
        try bench.cache.diskStorage.remove(forKey: url.absoluteString)
        #expect(try await original(options).cacheType == .none)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `an absence ends when the image is removed`() async throws {
        bench.server.route("/a.jpg", .status(404))
        for (count, removes) in [(1, false), (1, true), (2, false)] {
            await #expect(throws: KingfisherError.self) { try await original([.httpCaching]) }
            #expect(bench.server.requests.count == count)
            if removes {
                bench.cache.removeImage(forKey: url.absoluteString, completionHandler: nil)
            }
        }
    }

    @Test func `the download ends when its last caller leaves`() async throws {
        let transport = FakeTransport()
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "test", transport: transport),
            cache: ImageCache(memoryLimit: 1 << 20)
        )
        let loads = (0..<2).map { _ in
            Task { [url] in
                try await manager.retrieveOriginalData(
                    with: .network(url),
                    options: [.cacheMemoryOnly, .httpCaching]
                )
            }
        }
        await transport.started(1)
        for load in loads { load.cancel() }
        for load in loads { _ = await load.result }
        try await eventually { transport.transfers.allSatisfy(\.isCancelled) }
    }

    @Test func `bytes that are no image fail, and are not kept`() async throws {
        bench.server.route("/a.jpg", .body(Data("<html>not an image".utf8), type: "text/html"))
        for _ in 0..<2 {
            let error = await #expect(throws: KingfisherError.self) { try await original() }
            // The processor is the library's own, which no program has named.
            #expect(
                error?.localizedDescription
                    == "The decoder returned no image for 18 bytes: the bytes are not an image of a "
                    + "known format. Check the content of the source."
            )
        }
        #expect(bench.server.requests.count == 2)
    }

    @Test func `of variants the latest is kept, and none is given to another request`() async throws
    {
        let other = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg") { [jpeg] request in
            let fields = [("Cache-Control", "max-age=6000"), ("Vary", "X-Theme")]
            let isDark = request.value(for: "X-Theme") == "dark"
            return .body(isDark ? other : jpeg, type: "image/jpeg", fields: fields)
        }
        let dark = AnyModifier { request in
            var request = request
            request.setValue("dark", forHTTPHeaderField: "X-Theme")
            return request
        }
        for memory: KingfisherOptionsInfo in [[], [.memoryCacheExpiration(.seconds(60))]] {
            let options = memory + [.httpCaching]
            for _ in 0..<2 {
                for _ in 0..<2 { #expect(try await original(options).data == jpeg) }
                let modified = options + [.requestModifier(dark)]
                for _ in 0..<2 { #expect(try await original(modified).data == other) }
            }
        }
    }
}
