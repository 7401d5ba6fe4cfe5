import Chance
import Foundation
@_spi(Benchmarks) import Kingfisher

/// Hits in memory for a tool that counts instructions; see `count_hits` in `Scripts/bench.sh`.
///
/// The number of instructions of a hit is the same on a busy machine and a quiet one, and unlike its
/// time does not grow when fewer entries fit the processor's caches. So it shows whether a hit has
/// more to do when there are more entries.
enum CountedHits {
    static let operations = 100_000

    /// Fills a cache with so many images, and looks some up in `measuredLookups` alone.
    static func run(entries count: Int, folder: URL) throws {
        let cache = try ImageCache(name: "hits", cacheDirectoryURL: folder)
        cache.memoryStorage.config.totalCostLimit = .max
        let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.days(1))])
        let pixel = try RawImage.make(of: Data(count: 4), width: 1, height: 1)
        // Of one length, for a longer key takes longer to compare.
        let keys = (0..<count).map {
            "https://images.example.com/photos/\(String(format: "%07d", $0)).jpg?w=400"
        }
        for key in keys { cache.store(pixel, forKey: key, options: options, toDisk: false) }
        let zipf = Zipf(count: count, exponent: 0.99)
        var random = Random(seed: 1)
        let order = (0..<count).shuffled(using: &random)
        let drawn = (0..<operations).map { _ in
            ImageCache.CarriedKey(keys[order[zipf.draw(&random)]], options: options)
        }
        guard measuredLookups(cache, drawn, options) == operations else {
            throw BenchmarkError("the cache lost what it had room for")
        }
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
}
