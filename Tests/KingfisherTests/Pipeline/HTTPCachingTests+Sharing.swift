import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Records belong to the bytes that they came with, whoever stores others.
extension HTTPCachingTests {
    /// Another cache of the folder stores a newer image, and then the server goes back to the old.
    private func storeNewerElsewhere() async throws {
        serve(old, stale())
        _ = try await load()
        let cache = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        serve(new, stale(), tag: "\"2\"")
        #expect(try await load(manager: manager).image.size == CGSize(width: 40, height: 30))
        await cache.flush()
        serve(old, stale())
    }

    @Test func `an image that another cache stored is not confirmed by the record of ours`()
        async throws
    {
        try await storeNewerElsewhere()
        bench.cache.clearMemoryCache()
        let again = try await load()
        #expect(again.image.size == CGSize(width: 20, height: 10))
        #expect(conditions == [nil, "\"1\"", "\"2\""])
    }

    @Test func `the record of an image in memory is not that of the newer file`() async throws {
        try await storeNewerElsewhere()
        let again = try await load()
        #expect(again.cacheType == .memory)
        #expect(again.freshness == .revalidated)
        #expect(again.image.size == CGSize(width: 20, height: 10))
        #expect(conditions == [nil, "\"1\"", "\"1\""])
    }

    @Test func `an image that a load without HTTP caching read has the record of its file`()
        async throws
    {
        try await storeNewerElsewhere()
        bench.cache.clearMemoryCache()
        #expect(try await load([]).image.size == CGSize(width: 40, height: 30))
        let again = try await load()
        #expect(again.image.size == CGSize(width: 20, height: 10))
        #expect(conditions == [nil, "\"1\"", "\"2\""])
    }

    @Test func `a file that was stored without a record is asked for without a condition`()
        async throws
    {
        serve(old, [("Cache-Control", "max-age=60")])
        _ = try await load()
        try await bench.cache.storeToDisk(new, forKey: url.absoluteString)
        bench.cache.clearMemoryCache()
        let again = try await load()
        #expect(again.image.size == CGSize(width: 20, height: 10))
        #expect(conditions == [nil, nil])
    }

    @Test func `machines with a shared storage download an image once`() async throws {
        let storage = InMemorySharedStorage()
        let machines = try (0..<2).map { _ in try Machine(sharing: storage) }
        let gate = ServerGate()
        let fresh = ServerReply.body(old, fields: [("Cache-Control", "max-age=6000")])
        bench.server.route("/a.jpg", .held(gate, then: fresh))
        let url = url
        let loads = machines.map { machine in
            Task { try await machine.load(url, [.httpCaching]) }
        }
        await gate.reached()
        let name = CacheEntryName(key: url.cacheKey, identifier: "", forced: nil).sharedName
        try await eventually {
            storage.calls.count(where: { $0 == .acquireLease(name) }) >= 2
        }
        #expect(storage.leasedNames == [name], "the load that downloads holds the lease")
        gate.open()
        for load in loads { #expect(try await load.value.freshness == .fresh) }
        #expect(bench.server.requests.count == 1)
    }

    @Test func `removing an image removes its variants`() async throws {
        let server = bench.server
        let (old, new) = (old, new)
        server.route("/a.jpg") { request in
            let isDark = request.value(for: "X-Theme") == "dark"
            return .body(
                isDark ? new : old,
                fields: [("Cache-Control", "max-age=6000"), ("Vary", "X-Theme")]
            )
        }
        let dark = AnyModifier { request in
            var request = request
            request.setValue("dark", forHTTPHeaderField: "X-Theme")
            return request
        }
        let options: KingfisherOptionsInfo = [.httpCaching, .requestModifier(dark)]
        // Images that are shown live on when the caches have let them go.
        var shown = [try await load(), try await load(options)]
        #expect(server.requests.count == 2)
        try await bench.cache.removeImage(forKey: url.absoluteString)
        shown.append(try await load([]))
        shown.append(try await load(options))
        #expect(server.requests.count == 4)
        #expect(shown.last?.image.size == CGSize(width: 40, height: 30))
        // What was stored without a record is nobody's variant.
        #expect(try await load(options).cacheType == .memory)
    }

    @Test func `a tag that is no text goes back byte for byte`() async throws {
        let tag = Data("\"".utf8) + [0xE9, 0xFF] + Data("\"".utf8)
        let head = ServerReply.head(200, [("Content-Length", "\(old.count)")]).dropLast(2)
        let fields = Data("ETag: ".utf8) + tag + Data("\r\n\r\n".utf8)
        bench.server.route("/a.jpg", ServerReply(steps: [.send(head + fields + old)]))
        _ = try await load()
        await bench.cache.flush()
        let cache = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        bench.server.route("/a.jpg", .status(304))
        #expect(try await load(manager: manager).freshness == .revalidated)
        let sent = try #require(bench.server.requests.last?.head)
        #expect(sent.range(of: Data("If-None-Match: ".utf8) + tag) != nil)
    }

    @Test func `a load that begins behind a redirect is cancelled by its own URL`() async throws {
        let file = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]
        bench.server.route("/a.jpg", .redirect(to: "/b.jpg", status: 301))
        bench.server.route("/b.jpg", .body(old, fields: file))
        _ = try await load()
        let gate = ServerGate()
        bench.server.route("/b.jpg", .held(gate, then: .status(304)))
        async let late = load()
        await gate.reached()
        bench.downloader.cancel(url: bench.server.url("/b.jpg"))
        bench.downloader.cancel(url: url)
        do {
            _ = try await late
            Issue.record("it was cancelled")
        } catch let error as KingfisherError {
            #expect(error.isCancellation)
        }
        #expect(bench.server.requests.map(\.path) == ["/a.jpg", "/b.jpg", "/b.jpg"])
        gate.open()
    }
}
