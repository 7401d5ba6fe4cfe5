import Kingfisher

/// What the memory caches of the benchmarks hold.
final class Item: Sendable, CacheCostCalculable {
    let cacheCost: Int

    init(cacheCost: Int) {
        self.cacheCost = cacheCost
    }
}
