import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// What a cache does when memory is short.
struct MemoryPressureTests {
    /// A source that a test works by hand.
    private final class Hand: Sendable {
        private let works = Mutex<[Int: @Sendable () -> Void]>([:])
        private let lastID = Mutex(0)

        var watcherCount: Int { works.withLock { $0.count } }

        var source: MemoryPressureSource {
            MemoryPressureSource { [self] work in
                let id = lastID.withLock { id in
                    id += 1
                    return id
                }
                works.withLock { $0[id] = work }
                return MemoryPressureWatch {
                    _ = self.works.withLock { $0.removeValue(forKey: id) }
                }
            }
        }

        func press() {
            for work in works.withLock({ Array($0.values) }) { work() }
        }
    }

    private let folder: TemporaryDirectory
    private let hand = Hand()

    init() throws { folder = try TemporaryDirectory() }

    private func cache() throws -> ImageCache {
        let cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
        cache.heed(hand.source)
        for number in 0..<16 {
            let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 4, height: 4))
            cache.store(image, forKey: "\(number)", toDisk: false)
        }
        return cache
    }

    @Test func `each report halves what memory holds, the limit stays`() throws {
        let cache = try cache()
        let limit = cache.memoryStorage.config.totalCostLimit
        let cost = cache.memoryStorageCacheCost
        #expect(cost == 16 * 64)
        var costs: [Int] = []
        for _ in 0..<5 {
            hand.press()
            costs.append(cache.memoryStorageCacheCost)
        }
        #expect(costs == [8, 4, 2, 1, 0].map { $0 * 64 })
        #expect(cache.memoryStorage.config.totalCostLimit == limit)
        #expect(cache.memoryStorage.statistics.evictedForPressure == 16)
        #expect(cache.memoryStorage.statistics.evictions == 16)
    }

    @Test func `an image that is shown is found after the pressure`() throws {
        let cache = try cache()
        let shown = cache.retrieveImageInMemoryCache(forKey: "3")
        for _ in 0..<8 { hand.press() }
        #expect(cache.memoryStorageCacheCost == 0)
        #expect(cache.retrieveImageInMemoryCache(forKey: "3") === shown)
        #expect(cache.retrieveImageInMemoryCache(forKey: "4") == nil)
    }

    @Test func `a cache is notified as long as it lives, and by one source`() throws {
        var cache: ImageCache? = try cache()
        #expect(hand.watcherCount == 1)
        cache?.heed(hand.source)
        #expect(hand.watcherCount == 1)
        cache = nil
        #expect(hand.watcherCount == 0)
    }
}
