import Chance
import Foundation
@_spi(Benchmarks) import Kingfisher

/// The time of a memory cache hit, from a thousand to a million entries.
///
/// `carried` is the path of a load, which hashes its key once and reuses the hash in its lookups;
/// the other columns are public calls, which take a string and hash it. The growth with the number
/// of entries is informative only: it is caused by misses of the processor's caches, as the
/// dictionary shows, because the number of instructions, which `Scripts/bench.sh` counts, stays the
/// same.
enum MemoryExperiment {
    static let experiment = Experiment(
        name: "memory",
        title: "nanoseconds per hit in memory, keys drawn by Zipf's law (0.99), all resident"
    ) { folder in
        var lines = [
            "   entries  threads     carried  ImageCache     Storage    baseline  Dictionary"
                + "  baseline / ImageCache"
        ]
        var verdicts: [Verdict] = []
        for count in [1_000, 10_000, 100_000, 1_000_000] {
            let field = try Field(count: count, folder: folder)
            for threads in [1, 2] {
                let results = Lanes.run(
                    field.lanes,
                    rounds: 7,
                    threads: threads,
                    operations: 200_000
                )
                let (carried, ours, theirs) = (results[0], results[1], results[3])
                lines.append(
                    String(format: "%10d%9d", count, threads)
                        + results.map { String(format: "%9.0f ns", $0.wall) }.joined()
                        + String(format: "%10.1f", theirs.wall / ours.wall)
                )
                if threads == 1 {
                    guard count == 1_000 else { continue }
                    let label = "ns per hit of \(count), one thread, CPU"
                    verdicts += [
                        Verdict("\(label), hash carried", carried.cpu, atMost: 100),
                        Verdict("\(label), key hashed in the call", ours.cpu, atMost: 100),
                    ]
                } else {
                    let label = "throughput of two threads / baseline's, \(count)"
                    verdicts.append(Verdict(label, theirs.wall / ours.wall, atLeast: 10))
                }
            }
        }
        return lines + verdicts.map(\.line)
    }

    /// Filled caches and the requested keys.
    private struct Field {
        let lanes: [Lanes.Lane]

        init(count: Int, folder: URL) throws {
            let keys = (0..<count).map { "https://images.example.com/photos/\($0).jpg?w=400" }
            let ours = MemoryStorage.Backend<Item>(
                config: MemoryStorage.Config(totalCostLimit: .max)
            )
            let cache = try ImageCache(name: "memory", cacheDirectoryURL: folder)
            cache.memoryStorage.config.totalCostLimit = .max
            let options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.days(1))])
            let pixel = try RawImage.make(of: Data(count: 4), width: 1, height: 1)
            let baseline = BaselineMemory()
            var plain: [String: Item] = [:]
            for key in keys {
                ours.store(value: Item(cacheCost: 1), forKey: key)
                cache.store(pixel, forKey: key, options: options, toDisk: false)
                baseline.store(Item(cacheCost: 1), for: key)
                plain[key] = Item(cacheCost: 1)
            }
            let zipf = Zipf(count: count, exponent: 0.99)
            var random = Random(seed: 1)
            // Spread the popular keys over all keys, as in reality.
            let order = (0..<count).shuffled(using: &random)
            let drawn = (0..<(1 << 17)).map { _ in keys[order[zipf.draw(&random)]] }
            let carried = drawn.map { ImageCache.CarriedKey($0, options: options) }
            lanes = [
                Self.lane("carried", carried) {
                    cache.imageInMemory($0, options: options) != nil
                },
                Self.lane("ImageCache", drawn) {
                    cache.retrieveImageInMemoryCache(forKey: $0, options: options) != nil
                },
                Self.lane("MemoryStorage", drawn) { ours.value(forKey: $0) != nil },
                Self.lane("baseline", drawn) { baseline.value(for: $0) != nil },
                Self.lane("Dictionary", drawn) { [plain] in plain[$0] != nil },
            ]
        }

        private static func lane<Key: Sendable>(
            _ name: String,
            _ keys: [Key],
            _ read: @escaping @Sendable (Key) -> Bool
        ) -> Lanes.Lane {
            Lanes.Lane(name: name) { thread, count in
                var found = 0
                // Threads start at different positions of the same sequence.
                var next = thread * 31_337
                for _ in 0..<count {
                    if read(keys[next & (1 << 17 - 1)]) { found += 1 }
                    next += 1
                }
                precondition(
                    found == count,
                    "\(name) removed images although it had space for them"
                )
            }
        }
    }
}
