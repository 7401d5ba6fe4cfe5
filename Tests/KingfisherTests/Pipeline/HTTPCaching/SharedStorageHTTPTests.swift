import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// The records of HTTP responses travel with shared entries.
@Suite(.timeLimit(.minutes(1)))
struct SharedStorageHTTPTests {
    private let server: ImageServer
    private let storage = InMemorySharedStorage()
    private let one: Machine
    private let two: Machine
    private var url: URL { server.url("/a.jpg") }

    init() throws {
        server = try ImageServer()
        one = try Machine(sharing: storage)
        two = try Machine(sharing: storage)
    }

    private func serve(_ fields: [(String, String)], tag: String = "\"1\"") {
        let all = fields + [("ETag", tag)]
        let whole = ServerReply.body(
            TestImage.jpeg(width: 64, height: 48),
            type: "image/jpeg",
            fields: all
        )
        let same = ServerReply.status(304, fields: all)
        server.route("/a.jpg") { $0.value(for: "If-None-Match") == tag ? same : whole }
    }

    private var conditions: [String?] {
        server.requests.map { $0.value(for: "If-None-Match") }
    }

    @Test func `a fresh image of another machine is used without a request`() async throws {
        serve([("Cache-Control", "max-age=60")])
        _ = try await one.load(url, [.httpCaching])
        await one.settle()
        let found = try await two.load(url, [.httpCaching])
        #expect(found.freshness == .fresh)
        #expect(found.cacheType == .disk)
        #expect(conditions == [nil])
        // From this machine's disk and memory, too.
        #expect(try await two.load(url, [.httpCaching]).freshness == .fresh)
        await two.settle()
        two.cache.clearMemoryCache()
        #expect(try await two.load(url, [.httpCaching]).freshness == .fresh)
        #expect(conditions == [nil])
    }

    @Test func `a stale image of another machine is confirmed by its validator`() async throws {
        serve([("Cache-Control", "max-age=60"), ("Age", "70")])
        _ = try await one.load(url, [.httpCaching])
        await one.settle()
        let found = try await two.load(url, [.httpCaching])
        #expect(found.freshness == .revalidated)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `what one machine has confirmed is fresh for the others`() async throws {
        serve([("Cache-Control", "max-age=60"), ("Age", "70")])
        _ = try await one.load(url, [.httpCaching])
        await one.settle()
        serve([("Cache-Control", "max-age=60")])
        #expect(try await two.load(url, [.httpCaching]).freshness == .revalidated)
        // The image was found, so the only store is that of the new record.
        try await eventually { two.statistics.stores == 1 }
        let three = try Machine(sharing: storage)
        #expect(try await three.load(url, [.httpCaching]).freshness == .fresh)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `an image that is gone is gone for all machines`() async throws {
        serve([("Cache-Control", "max-age=60"), ("Age", "70")])
        _ = try await one.load(url, [.httpCaching])
        await one.settle()
        server.route("/a.jpg", .status(404))
        await #expect(throws: KingfisherError.self) { try await two.load(url, [.httpCaching]) }
        await two.settle()
        #expect(storage.contents.isEmpty)
    }

    @Test func `bytes that another machine removes are asked for again`() async throws {
        serve([("Cache-Control", "max-age=60")])
        let options: KingfisherOptionsInfo = [
            .cacheMemoryOnly, .httpCaching, .memoryCacheExpiration(.seconds(60)),
        ]
        let source = Source.network(url)
        for _ in 0..<2 {
            _ = try await two.manager.retrieveOriginalData(with: source, options: options)
        }
        #expect(server.requests.count == 1)
        // It has no file, which is an error, but others may have one.
        try? await one.cache.removeImage(forKey: url.cacheKey)
        await one.settle()
        try await eventually { two.statistics.invalidations > 0 }
        _ = try await two.manager.retrieveOriginalData(with: source, options: options)
        #expect(server.requests.count == 2)
    }

    @Test func `what must not be stored is not shared`() async throws {
        serve([("Cache-Control", "no-store")])
        _ = try await one.load(url, [.httpCaching])
        await one.settle()
        #expect(storage.contents.isEmpty)
        try await eventually { storage.leasedNames.isEmpty }
    }
}
