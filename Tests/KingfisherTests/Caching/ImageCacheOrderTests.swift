import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// What happens to an image while it is being read from disk.
@Suite(.timeLimit(.minutes(1)))
struct ImageCacheOrderTests {
    private let folder: TemporaryDirectory
    private let cache: ImageCache
    private let old = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 6))
    private let new = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 4, height: 3))

    init() throws {
        folder = try TemporaryDirectory()
        cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
    }

    /// Reads the old image from disk.
    private func read(
        isDamaged: Bool = false,
        _ happens: @escaping @Sendable () -> Void
    ) async throws -> ImageCacheResult {
        try await cache.store(old, forKey: "key")
        cache.clearMemoryCache()
        let serializer = MeanwhileSerializer(isDamaged: isDamaged, happens: happens)
        return try await cache.retrieveImage(
            forKey: "key",
            options: [.cacheSerializer(serializer)]
        )
    }

    private var inMemory: KFCrossPlatformImage? {
        cache.retrieveImageInMemoryCache(forKey: "key")
    }

    @Test func `CAC-8: what was stored while an older image was read stays`() async throws {
        let result = try await read { [cache, new] in cache.store(new, forKey: "key") }
        #expect(result.image?.size == old.size)
        #expect(inMemory === new)
    }

    @Test func `CAC-8: what was removed while it was read is not in memory again`() async throws {
        _ = try await read { [cache] in cache.removeImage(forKey: "key") }
        #expect(inMemory == nil)
        _ = try await read { [cache] in cache.clearMemoryCache() }
        #expect(inMemory == nil)
        _ = try await read {}
        #expect(inMemory != nil)
    }

    @Test func `what must not be kept in memory does not let an older image in`() async throws {
        _ = try await read { [cache, new] in
            let options: KingfisherOptionsInfo = [.memoryCacheExpiration(.expired)]
            cache.store(new, forKey: "key", options: KingfisherParsedOptionsInfo(options))
        }
        #expect(inMemory == nil)
        #expect(try await cache.retrieveImage(forKey: "key").image?.size == new.size)
    }

    @Test func `a damaged file takes nothing with it that was stored since`() async throws {
        let result = try await read(isDamaged: true) { [cache, new] in
            let isOnDisk = DispatchSemaphore(value: 0)
            let options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
            cache.store(new, forKey: "key", options: options) { _ in isOnDisk.signal() }
            isOnDisk.wait()
        }
        #expect(result.cacheType == .none)
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "key").image?.size == new.size)
    }
}
