import Foundation
// Without `@testable`, as users see it: what can be overridden here is open.
import Kingfisher
import KingfisherTesting
import TestSupport
import Testing

/// A cache of somebody else, who counts and refuses.
private final class CountingCache: ImageCache, @unchecked Sendable {
    // `@unchecked` as the class above it; the log is locked.
    let log = Locked<[String]>([])

    private func note(_ text: String) { log.change { $0.append(text) } }

    override func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note("store \(key)")
        super.store(
            image,
            original: original,
            forKey: key,
            options: options,
            toDisk: toDisk,
            completionHandler: completionHandler
        )
    }

    override func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        note("retrieve \(key)")
        super.retrieveImage(
            forKey: key,
            options: options,
            callbackQueue: callbackQueue,
            completionHandler: completionHandler
        )
    }

    override func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        note("memory \(key)")
        return super.retrieveImageInMemoryCache(forKey: key, options: options)
    }

    override func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        note("clean")
        super.cleanExpiredCache(completion: handler)
    }

    override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        note("clear disk")
        super.clearDiskCache(completion: handler)
    }

    override func clearDiskCache() async {
        note("clear disk later")
        await super.clearDiskCache()
    }

    override func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true
    ) async throws {
        note("remove \(key)")
        try await super.removeImage(forKey: key)
    }

    override func hash(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil
    ) -> String { "hash of \(key)" }

    override func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil
    ) -> String { "path of \(key)" }

    override func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil
    ) -> URL? { nil }

    override var memoryStorageCacheCost: Int { 7 }

    override var diskStorageSize: UInt {
        get async throws { 8 }
    }
}

/// A subclass that calls its completions several times, or releases them without a call.
private final class CarelessCache: ImageCache, @unchecked Sendable {
    // `@unchecked` as the class above it; set before the first use.
    nonisolated(unsafe) var calls = 0

    private func complete(_ completion: (() -> Void)?) {
        for _ in 0..<calls { completion?() }
    }

    override func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        complete { completionHandler?(.stored) }
    }

    override func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        complete { completionHandler?(.stored) }
    }

    override func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        complete { completionHandler?(.success(.none)) }
    }

    override func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler:
            @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        complete { completionHandler(.success(nil)) }
    }

    override func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        complete(completionHandler)
    }

    override func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        complete(handler)
    }

    override func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        complete(handler)
    }

    override func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        complete(handler)
    }

    override func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        complete { handler(.success(7)) }
    }
}

extension CacheStoreResult {
    fileprivate static var stored: CacheStoreResult {
        CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: .success(()))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ImageCacheOverridingTests {
    private let folder: TemporaryDirectory
    private let cache: CountingCache
    private let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 2, height: 2))

    init() throws {
        folder = try TemporaryDirectory()
        cache = try CountingCache(name: "test", cacheDirectoryURL: folder.url)
    }

    @Test func `CAC-26: each overload asks what was overridden`() async throws {
        try await cache.store(image, forKey: "a")
        _ = cache.retrieveImageInMemoryCache(forKey: "b")
        await cache.cleanExpiredCache()
        await cache.clearCache()
        await cache.clearDiskCache()
        await #expect(throws: (any Error).self) { try await cache.removeImage(forKey: "c") }
        #expect(
            cache.log.value == [
                "store a", "memory b", "clean", "clear disk", "clear disk later", "clear disk",
                "remove c",
            ]
        )
        #expect(cache.hash(forKey: "a") == "hash of a")
        #expect(cache.cachePath(forKey: "a") == "path of a")
        #expect(cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
        #expect(cache.memoryStorageCacheCost == 7)
        #expect(try await cache.diskStorageSize == 8)
    }

    private func careless(_ calls: Int) throws -> CarelessCache {
        let cache = try CarelessCache(name: "careless", cacheDirectoryURL: folder.url)
        cache.calls = calls
        return cache
    }

    @Test func `CAC-31: the first call of a completion counts`() async throws {
        let cache = try careless(2)
        let options = KingfisherParsedOptionsInfo(nil)
        try await cache.store(image, forKey: "a")
        try await cache.store(image, forKey: "a", options: options)
        try await cache.storeToDisk(Data([1]), forKey: "a")
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a") == nil)
        try await cache.removeImage(forKey: "a")
        await cache.clearCache()
        await cache.clearDiskCache()
        await cache.cleanExpiredCache()
        await cache.cleanExpiredDiskCache()
        #expect(try await cache.diskStorageSize == 7)
    }

    @Test func `CAC-31: a completion that is released is a miss or a failure`() async throws {
        let cache = try careless(0)
        let options = KingfisherParsedOptionsInfo(nil)
        let errors = [
            await #expect(throws: KingfisherError.self) {
                try await cache.store(image, forKey: "a")
            },
            await #expect(throws: KingfisherError.self) {
                try await cache.store(image, forKey: "a", options: options)
            },
            await #expect(throws: KingfisherError.self) {
                try await cache.storeToDisk(Data([1]), forKey: "a")
            },
        ]
        for error in errors {
            #expect(error?.errorDescription?.contains("released its completion") == true)
        }
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a") == nil)
        await #expect(throws: (any Error).self) { try await cache.removeImage(forKey: "a") }
        await cache.clearCache()
        await cache.clearDiskCache()
        await cache.cleanExpiredCache()
        await cache.cleanExpiredDiskCache()
        await #expect(throws: (any Error).self) { try await cache.diskStorageSize }
    }

    @Test(arguments: [0, 2])
    func `CAC-31: a load does not depend on how often completions are called`(
        calls: Int
    ) async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .picture(.solid(.red, width: 8, height: 8)))
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "careless", transport: transport),
            cache: try careless(calls)
        )
        let url = try #require(URL(string: "https://example.com/a.png"))
        let options: KingfisherOptionsInfo = [
            .waitForCache, .cacheOriginalImage,
            .processor(DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))),
        ]
        let loaded = try await manager.retrieveImage(with: .network(url), options: options)
        #expect(loaded.cacheType == .none)
    }
}
