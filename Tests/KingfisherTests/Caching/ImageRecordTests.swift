import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// The HTTP record of an image is stored with it, in each layer in one step.
@Suite(.timeLimit(.minutes(1)))
struct ImageRecordTests {
    private let bench: TestBench
    private var cache: ImageCache { bench.cache }

    init() throws { bench = try TestBench() }

    private let small = KFCrossPlatformImage(data: TestImage.png(width: 2, height: 2)) ?? .init()
    private let large = KFCrossPlatformImage(data: TestImage.png(width: 3, height: 3)) ?? .init()

    private func record(_ tag: String) throws -> HTTPRecord {
        let response = TransferResponse(
            url: try #require(URL(string: "https://me:token@example.com/secret?token=1")),
            statusCode: 200,
            fields: [("ETag", tag)]
        )
        return try #require(HTTPRecord(response, time: Date()) { _ in nil })
    }

    private func entry(_ key: String = "a") -> CacheEntryName {
        CacheEntryName(key: key, identifier: "", forced: nil)
    }

    private func store(
        _ image: KFCrossPlatformImage,
        _ record: HTTPRecord?,
        _ key: String = "a",
        in cache: ImageCache
    ) async {
        await withCheckedContinuation { continuation in
            ArrivingRecord.with(record, of: entry(key), image) {
                cache.store(image, forKey: key) { _ in continuation.resume() }
            }
        }
    }

    private func record(of image: KFCrossPlatformImage, in cache: ImageCache) -> HTTPRecord? {
        cache.metadata(of: image, entry()).flatMap { cache.record($0, of: entry()) }
    }

    @Test func `an image has its record from the moment on at which memory has it`() throws {
        final class Watched: ImageCache, @unchecked Sendable {
            let found = Locked<[Bool]>([])

            override func store(
                _ image: KFCrossPlatformImage,
                original: Data? = nil,
                forKey key: String,
                options: KingfisherParsedOptionsInfo,
                toDisk: Bool = true,
                completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
            ) {
                super.store(
                    image,
                    original: original,
                    forKey: key,
                    options: options,
                    toDisk: toDisk,
                    completionHandler: completionHandler
                )
                let entry = CacheEntryName(key: key, options: options)
                found.change { $0.append(metadata(of: image, entry) != nil) }
            }
        }
        let cache = Watched(
            memoryStorage: bench.cache.memoryStorage,
            diskStorage: bench.cache.diskStorage
        )
        let image = small
        ArrivingRecord.with(try record("\"1\""), of: entry(), image) {
            cache.store(image, forKey: "a", options: KingfisherParsedOptionsInfo(nil))
        }
        #expect(cache.found.value == [true])
    }

    @Test func `another image of the name has no record`() async throws {
        let (image, other) = (small, large)
        let record = try record("\"1\"")
        await store(image, record, in: cache)
        #expect(self.record(of: image, in: cache) == record)
        #expect(self.record(of: other, in: cache) == nil)
        await store(other, nil, in: cache)
        #expect(self.record(of: image, in: cache) == nil)
        #expect(self.record(of: other, in: cache) == nil)
        #expect(await cache.currentRecord(of: entry()) == nil)
    }

    @Test func `a subclass that stores another image, or under another key, gives it no record`()
        async throws
    {
        let (image, other) = (small, large)
        ArrivingRecord.with(try record("\"1\""), of: entry(), image) {
            cache.store(other, forKey: "a")
            cache.store(image, forKey: "b")
        }
        #expect(record(of: other, in: cache) == nil)
        #expect(cache.metadata(of: image, entry("b")) == nil)
    }

    @Test func `an image that was read again has the record of its bytes`() async throws {
        let record = try record("\"1\"")
        await store(small, record, in: cache)
        cache.clearMemoryCache()
        #expect(await cache.currentRecord(of: entry()) == record)
        let image = try #require(try await cache.retrieveImage(forKey: "a").image)
        #expect(self.record(of: image, in: cache) == record)
        // The next process.
        let next = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
        #expect(await next.currentRecord(of: entry()) == record)
    }

    @Test func `a record that waits to be written is the image's`() async throws {
        let (first, second) = (try record("\"1\""), try record("\"2\""))
        await store(small, first, in: cache)
        let metadata = try #require(cache.metadata(of: small, entry()))
        let (isWaiting, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        cache.diskStorage.queue.enqueueAlone {
            isWaiting.signal()
            mayEnd.wait()
        }
        defer { mayEnd.signal() }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: isWaiting.wait()) }
        }
        cache.replace(metadata, by: second, of: entry())
        cache.clearMemoryCache()
        #expect(await cache.currentRecord(of: entry()) == second)
        let image = try #require(try await cache.retrieveImage(forKey: "a").image)
        #expect(self.record(of: image, in: cache) == second)
    }

    @Test func `a record that changes while the image is written is written with it`() async throws
    {
        let (first, second) = (try record("\"1\""), try record("\"2\""))
        let image = small
        ArrivingRecord.with(first, of: entry(), image) { cache.store(image, forKey: "a") }
        let metadata = try #require(cache.metadata(of: image, entry()))
        cache.replace(metadata, by: second, of: entry())
        await cache.flush()
        cache.clearMemoryCache()
        #expect(await cache.currentRecord(of: entry()) == second)
    }

    @Test func `the index names neither URLs nor passwords of records`() async throws {
        let record = try record("\"1\"")
        await store(small, record, in: cache)
        cache.noteAbsence(record, of: entry("b"), remaining: 60)
        await cache.flush()
        cache.clearMemoryCache()
        #expect(await cache.currentRecord(of: entry()) == record)
        #expect(try await cache.absence(of: entry("b")) == record)
        let log = cache.diskStorage.directoryURL.appendingPathComponent(".kingfisher.log")
        let bytes = try Data(contentsOf: log)
        #expect(bytes.range(of: Data("token".utf8)) == nil)
    }
}
