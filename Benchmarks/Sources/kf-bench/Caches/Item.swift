import Kingfisher

/// The value stored in the memory caches of the benchmarks.
final class Item: Sendable, CacheCostCalculable {
    let cacheCost: Int

    init(cacheCost: Int) {
        self.cacheCost = cacheCost
    }
}
