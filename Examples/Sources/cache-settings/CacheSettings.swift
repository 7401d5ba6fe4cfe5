// A custom cache: its limits, its contents and its cleaning.
import Exhibition
import Foundation
import Kingfisher

@main
struct CacheSettings {
    static func main() async throws {
        let exhibition = try Exhibition()
        let cache = try temporaryCache()
        cache.memoryStorage.config.totalCostLimit = 2 << 20
        cache.memoryStorage.config.countLimit = 50
        cache.memoryStorage.config.expiration = .seconds(600)
        cache.diskStorage.config.sizeLimit = 100 << 20
        cache.diskStorage.config.expiration = .days(7)
        let manager = KingfisherManager(downloader: .default, cache: cache)

        // 640 × 480 pixels take 1.2 MB, so that only one of these fits in memory.
        let urls = (1...3).map { exhibition.url("/photo-\($0).jpg") }
        for url in urls {
            _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        }
        check(cache.memoryStorageCacheCost <= 2 << 20, "the memory cache stays below its limit")
        let types = urls.map { cache.imageCachedType(forKey: $0.cacheKey) }
        check(types.allSatisfy(\.cached), "every image is cached: \(types)")
        let size = try await cache.diskStorageSize
        check(size > 0, "the disk has \(size) bytes")

        try await cache.removeImage(forKey: urls[0].cacheKey)
        check(!cache.isCached(forKey: urls[0].cacheKey), "one image is removed")

        // Store an image under a custom key.
        let image = try await cache.retrieveImage(forKey: urls[1].cacheKey).image
        if let image {
            try await cache.store(image, forKey: "favourite")
        }
        check(cache.isCached(forKey: "favourite"), "one image is stored under another key")

        let expiring = try await manager.retrieveImage(
            with: urls[2],
            options: [.forceRefresh, .memoryCacheExpiration(.expired), .waitForCache]
        )
        check(expiring.cacheType == .none, "an image that expires at once is stored on disk only")

        await cache.cleanExpiredDiskCache()
        check(cache.isCached(forKey: "favourite"), "cleaning removes only expired images")
        await cache.clearCache()
        check(try await cache.diskStorageSize == 0, "clearing removes everything")
    }
}
