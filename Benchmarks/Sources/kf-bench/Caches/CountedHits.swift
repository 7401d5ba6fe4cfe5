import Chance
import Foundation
@_spi(Benchmarks) import Kingfisher
import Synchronization

/// Memory cache hits for a tool that counts instructions; see `count_hits` in `Scripts/bench.sh`.
///
/// The number of instructions of a hit does not depend on the load of the machine, and unlike the
/// time, it does not grow when fewer entries fit into the processor's caches. It therefore shows
/// whether a hit does more work with more entries.
enum CountedHits {
    static let operations = 100_000
    static let loads = 1_000

    /// Fills a cache with `count` images, looks some up in `measuredLookups` only, and loads some
    /// in `measuredLoads` only.
    static func run(entries count: Int, folder: URL) throws {
        let cache = try ImageCache(name: "hits", cacheDirectoryURL: folder)
        cache.memoryStorage.config.totalCostLimit = .max
        let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.days(1))])
        let pixel = try RawImage.make(of: Data(count: 4), width: 1, height: 1)
        // Of equal length, because comparing a longer key takes longer.
        let keys = (0..<count).map {
            "https://images.example.com/photos/\(String(format: "%07d", $0)).jpg?w=400"
        }
        for key in keys { cache.store(pixel, forKey: key, options: options, toDisk: false) }
        let zipf = Zipf(count: count, exponent: 0.99)
        var random = Random(seed: 1)
        let order = (0..<count).shuffled(using: &random)
        let names = (0..<operations).map { _ in keys[order[zipf.draw(&random)]] }
        let drawn = names.map { ImageCache.CarriedKey($0, options: options) }
        let manager = KingfisherManager(downloader: ImageDownloader(name: "hits"), cache: cache)
        let urls = names.prefix(loads).compactMap { URL(string: $0) }
        guard measuredLookups(cache, drawn, options) == operations,
            measuredLoads(manager, urls, [.callbackQueue(.untouch)]) == loads
        else { throw BenchmarkError("the cache removed images although it had space for them") }
    }

    /// The function whose instructions are counted.
    @inline(never)
    private static func measuredLookups(
        _ cache: ImageCache,
        _ keys: [ImageCache.CarriedKey],
        _ options: KingfisherParsedOptionsInfo
    ) -> Int {
        var found = 0
        for key in keys where cache.imageInMemory(key, options: options) != nil { found += 1 }
        return found
    }

    /// The function whose instructions are counted for whole loads from memory.
    @inline(never)
    private static func measuredLoads(
        _ manager: KingfisherManager,
        _ urls: [URL],
        _ options: KingfisherOptionsInfo
    ) -> Int {
        let found = Atomic(0)
        for url in urls {
            manager.retrieveImage(with: url, options: options) { result in
                guard case .success = result else { return }
                found.add(1, ordering: .relaxed)
            }
        }
        return found.load(ordering: .relaxed)
    }
}
