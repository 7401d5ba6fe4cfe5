import Foundation
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
        await cache.httpRecords.flush()
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
}
