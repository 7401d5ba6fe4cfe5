import Foundation
// Without `@testable`, as users see it: what can be overridden here is open.
import Kingfisher
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
}
