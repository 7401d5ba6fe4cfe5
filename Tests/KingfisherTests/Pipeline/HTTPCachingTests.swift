import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads with the option `.httpCaching`, through all stages and over the network.
@Suite(.timeLimit(.minutes(1)))
struct HTTPCachingTests {
    let bench: TestBench
    let old = TestImage.jpeg(width: 20, height: 10)
    let new = TestImage.jpeg(width: 40, height: 30)
    var url: URL { bench.server.url("/a.jpg") }

    init() throws {
        bench = try TestBench()
    }

    func load(
        _ options: KingfisherOptionsInfo = [.httpCaching],
        manager: KingfisherManager? = nil
    ) async throws -> RetrieveImageResult {
        try await (manager ?? bench.manager).retrieveImage(
            with: .network(url),
            options: options + [.waitForCache]
        )
    }

    /// Serves a picture with these fields; a 304 to who has its tag.
    func serve(_ data: Data, _ fields: [(String, String)], tag: String = "\"1\"") {
        let whole = ServerReply.body(data, type: "image/jpeg", fields: fields + [("ETag", tag)])
        let same = ServerReply.status(304, fields: fields + [("ETag", tag)])
        bench.server.route("/a.jpg") {
            $0.value(for: "If-None-Match") == tag ? same : whole
        }
    }

    // Old on arrival: no test has to wait.
    func stale(_ more: String = "") -> [(String, String)] {
        [("Cache-Control", "max-age=60\(more)"), ("Age", "70")]
    }

    var conditions: [String?] {
        bench.server.requests.map { $0.value(for: "If-None-Match") }
    }

    @Test func `without the option nothing is asked and nothing is said`() async throws {
        serve(old, [("Cache-Control", "no-store")])
        _ = try await load([])
        let again = try await load([])
        #expect(again.cacheType == .memory)
        #expect(again.freshness == nil)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `within its time an image is used, from memory and from disk`() async throws {
        serve(old, [("Cache-Control", "max-age=60")])
        let first = try await load()
        #expect(first.cacheType == .none)
        #expect(first.freshness == .fresh)
        let second = try await load()
        #expect(second.cacheType == .memory)
        #expect(second.freshness == .fresh)
        bench.cache.clearMemoryCache()
        let third = try await load()
        #expect(third.cacheType == .disk)
        #expect(third.freshness == .fresh)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `the next process knows the times too`() async throws {
        serve(old, [("Cache-Control", "max-age=60")])
        _ = try await load()
        await bench.cache.flush()
        let cache = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        let again = try await load(manager: manager)
        #expect(again.freshness == .fresh)
        #expect(again.cacheType == .disk)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `past its time it is asked about, and a 304 is no download`() async throws {
        serve(old, stale())
        _ = try await load()
        serve(old, [("Cache-Control", "max-age=60")])
        let second = try await load()
        #expect(second.freshness == .revalidated)
        #expect(second.cacheType == .memory)
        #expect(second.image.size == CGSize(width: 20, height: 10))
        // The 304 gave it a new time.
        let third = try await load()
        #expect(third.freshness == .fresh)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `an image that changed takes the place of the old one`() async throws {
        serve(old, stale())
        _ = try await load()
        serve(new, [("Cache-Control", "max-age=60")], tag: "\"2\"")
        let second = try await load()
        #expect(second.freshness == .fresh)
        #expect(second.cacheType == .none)
        #expect(second.image.size == CGSize(width: 40, height: 30))
        bench.cache.clearMemoryCache()
        let third = try await load()
        #expect(third.image.size == CGSize(width: 40, height: 30))
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `without a tag the date asks`() async throws {
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        let reply = ServerReply.body(old, fields: stale() + [("Last-Modified", modified)])
        bench.server.route("/a.jpg") {
            $0.value(for: "If-Modified-Since") == modified ? .status(304) : reply
        }
        _ = try await load()
        #expect(try await load().freshness == .revalidated)
    }

    @Test func `what must not be stored is not`() async throws {
        serve(old, [("Cache-Control", "no-store")])
        _ = try await load()
        #expect(!bench.cache.isCached(forKey: url.absoluteString))
        #expect(try await load().cacheType == .none)
        #expect(conditions == [nil, nil])
    }

    @Test func `an image that was stored without its times is fetched again`() async throws {
        serve(old, [("Cache-Control", "max-age=60")])
        _ = try await load([])
        #expect(try await load().cacheType == .none)
        #expect(try await load().cacheType == .memory)
    }

    // MARK: RFC 5861

    @Test func `stale while revalidating: used at once, asked about behind`() async throws {
        serve(old, stale(", stale-while-revalidate=60"))
        _ = try await load()
        let gate = ServerGate()
        let fresh = ServerReply.body(
            new,
            fields: [("Cache-Control", "max-age=60"), ("ETag", "\"2\"")]
        )
        bench.server.route("/a.jpg", .held(gate, then: fresh))
        for _ in 0..<3 {
            let hit = try await load()
            #expect(hit.freshness == .stale)
            #expect(hit.image.size == CGSize(width: 20, height: 10))
        }
        await bench.server.received(2)
        // Three callers, one question.
        #expect(bench.server.requests.count == 2)
        gate.open()
        var latest = try await load()
        while latest.freshness == .stale {
            await Task.yield()
            latest = try await load()
        }
        #expect(latest.image.size == CGSize(width: 40, height: 30))
    }

    @Test(arguments: [500, 502, 503, 504])
    func `stale if error: used when the server is in trouble`(status: Int) async throws {
        serve(old, stale(", stale-if-error=60"))
        _ = try await load()
        bench.server.route("/a.jpg", .status(status))
        let hit = try await load()
        #expect(hit.freshness == .stale)
        #expect(hit.cacheType == .memory)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `stale if error: used when no server answers`() async throws {
        serve(old, stale(", stale-if-error=60"))
        _ = try await load()
        bench.server.stop()
        await bench.server.quiet()
        #expect(try await load().freshness == .stale)
    }

    @Test(arguments: [("", 503), (", stale-if-error=60", 403), (", stale-if-error=5", 503)])
    func `other failures stay failures`(more: String, status: Int) async throws {
        serve(old, stale(more))
        _ = try await load()
        bench.server.route("/a.jpg", .status(status))
        await #expect(throws: KingfisherError.self) { try await load() }
    }

    // MARK: The picture and its times

    @Test func `an old image is not fresh because a new one came while it was read`()
        async throws
    {
        serve(old, stale())
        _ = try await load()
        bench.cache.clearMemoryCache()
        serve(new, [("Cache-Control", "max-age=60")], tag: "\"2\"")
        let gate = DispatchSemaphore(value: 0)
        let reads = Locked(0)
        let slow = MeanwhileSerializer {
            reads.change { $0 += 1 }
            gate.wait()
        }
        async let late = load([.httpCaching, .cacheSerializer(slow)])
        while reads.value == 0 { await Task.yield() }
        _ = try await load([.httpCaching, .forceRefresh])
        gate.signal()
        let result = try await late
        #expect(result.image.size == CGSize(width: 40, height: 30))
        #expect(try await load().image.size == CGSize(width: 40, height: 30))
    }

    @Test func `an image of memory alone does not make the one on disk fresh`() async throws {
        serve(old, stale())
        _ = try await load()
        serve(new, [("Cache-Control", "max-age=60")], tag: "\"2\"")
        let second = try await load([.httpCaching, .cacheMemoryOnly])
        #expect(second.image.size == CGSize(width: 40, height: 30))
        #expect(try await load().cacheType == .memory)
        bench.cache.clearMemoryCache()
        let third = try await load()
        #expect(third.image.size == CGSize(width: 40, height: 30))
        #expect(third.cacheType == .none)
    }

    @Test func `the next process does not take an old image for the new one`() async throws {
        serve(old, stale())
        _ = try await load()
        serve(new, [("Cache-Control", "max-age=60")], tag: "\"2\"")
        _ = try await load([.httpCaching, .cacheMemoryOnly])
        await bench.cache.flush()
        let cache = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        let again = try await load(manager: manager)
        #expect(again.image.size == CGSize(width: 40, height: 30))
        #expect(conditions == [nil, "\"1\"", "\"1\""])
    }

    // MARK: Nothing there

    @Test(arguments: [404, 410])
    func `what is not there is not asked for again`(status: Int) async throws {
        bench.server.route("/a.jpg", .status(status))
        for _ in 0..<3 {
            do {
                _ = try await load()
                Issue.record("there is no picture")
            } catch let error as KingfisherError {
                #expect(error.isInvalidResponseStatusCode(status))
            }
        }
        #expect(bench.server.requests.count == 1)
        // Without the option, and when told to, it is asked for.
        await #expect(throws: KingfisherError.self) { try await load([]) }
        await #expect(throws: KingfisherError.self) {
            try await load([.httpCaching, .forceRefresh])
        }
        #expect(bench.server.requests.count == 3)
        serve(old, [])
        await bench.cache.clearCache()
        _ = try await load()
    }

    @Test func `an image that has gone is not shown from the cache`() async throws {
        serve(old, stale(", stale-if-error=60"))
        _ = try await load()
        bench.server.route("/a.jpg", .status(404, fields: [("Cache-Control", "max-age=60")]))
        await #expect(throws: KingfisherError.self) { try await load() }
        await #expect(throws: KingfisherError.self) { try await load() }
        // The first 404 could be about the condition, the second is remembered.
        #expect(bench.server.requests.count == 3)
        serve(new, [])
        _ = try await load([.httpCaching, .forceRefresh])
    }

    @Test func `that one request finds no image does not keep that of another from the cache`()
        async throws
    {
        let (gate, key) = (ServerGate(), "one key")
        bench.server.route("/found.jpg", .held(gate, then: .body(old)))
        bench.server.route("/gone.jpg", .status(404))
        func load(_ path: String) async throws -> RetrieveImageResult {
            let source = KF.ImageResource(downloadURL: bench.server.url(path), cacheKey: key)
            return try await bench.manager.retrieveImage(with: source, options: [.httpCaching])
        }
        async let found = load("/found.jpg")
        await gate.reached()
        await #expect(throws: KingfisherError.self) { _ = try await load("/gone.jpg") }
        gate.open()
        _ = try await found
        await bench.cache.flush()
        #expect(bench.cache.isCached(forKey: key))
    }

    // MARK: Other options

    @Test func `each processor's image has its own times`() async throws {
        serve(old, stale())
        let black = KingfisherOptionsInfoItem.processor(BlackWhiteProcessor())
        _ = try await load([.httpCaching, black])
        serve(new, [("Cache-Control", "max-age=60")], tag: "\"2\"")
        _ = try await load()
        // Made of the old picture: that the new one is fresh must not make it so.
        let processed = try await load([.httpCaching, black])
        #expect(processed.image.size == CGSize(width: 40, height: 30))
    }

    @Test func `an image made from the cached original has the original's times`() async throws {
        serve(old, stale())
        let black = KingfisherOptionsInfoItem.processor(BlackWhiteProcessor())
        let blur = KingfisherOptionsInfoItem.processor(BlurImageProcessor(blurRadius: 2))
        _ = try await load([.httpCaching, black, .cacheOriginalImage])
        let made = try await load([.httpCaching, blur])
        #expect(made.freshness == .revalidated)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `who may not use the network gets what there is`() async throws {
        serve(old, stale())
        _ = try await load()
        let hit = try await load([.httpCaching, .onlyFromCache])
        #expect(hit.freshness == .stale)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `Vary: another header is another image`() async throws {
        serve(old, [("Cache-Control", "max-age=60"), ("Vary", "X-Theme")])
        func themed(_ theme: String) -> KingfisherOptionsInfoItem {
            .requestModifier(
                AnyModifier { request in
                    var request = request
                    request.setValue(theme, forHTTPHeaderField: "X-Theme")
                    return request
                }
            )
        }
        _ = try await load([.httpCaching, themed("dark")])
        #expect(try await load([.httpCaching, themed("dark")]).cacheType == .memory)
        let other = try await load([.httpCaching, themed("light")])
        // The tag is sent along, and the server says that it is the same after all.
        #expect(other.freshness == .revalidated)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `a delegate that takes 200 alone does not see the 304`() async throws {
        final class Strict: ImageDownloaderDelegate {
            func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
                code == 200
            }
            func imageDownloader(
                _ downloader: ImageDownloader,
                didDownload data: Data,
                for url: URL
            ) -> Data? {
                data.isEmpty ? nil : data
            }
        }
        let delegate = Strict()
        bench.downloader.delegate = delegate
        serve(old, stale())
        _ = try await load()
        #expect(try await load().freshness == .revalidated)
        withExtendedLifetime(delegate) {}
    }

    @Test func `a server that confirms what was not asked about does no harm`() async throws {
        bench.server.route("/a.jpg", .status(304))
        await #expect(throws: KingfisherError.self) { try await load() }
        #expect(!bench.cache.isCached(forKey: url.absoluteString))
    }

    @Test func `the folder of the cache has images alone in it`() async throws {
        serve(old, [("Cache-Control", "max-age=60")])
        _ = try await load()
        await bench.cache.flush()
        let folder = bench.cache.diskStorage.directoryURL
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { !$0.hasPrefix(".") }.count == 1)
    }
}
