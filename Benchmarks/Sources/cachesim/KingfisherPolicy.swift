import Kingfisher

/// The real memory cache, not a model of it.
struct KingfisherPolicy: Policy {
    /// A cached value without content, only with a cost.
    ///
    /// A value type, so that an evicted one cannot be found through another reference.
    private struct Size: CacheCostCalculable, Sendable {
        let cacheCost: Int
    }

    let name = "ours"
    private let storage: MemoryStorage.Backend<Size>

    init(capacity: Int) {
        var config = MemoryStorage.Config(totalCostLimit: capacity)
        config.expiration = .never
        storage = MemoryStorage.Backend(config: config)
    }

    mutating func request(_ object: Int32, size: Int) -> Bool {
        let key = "https://images.example.com/\(object).jpg"
        if storage.value(forKey: key) != nil { return true }
        storage.store(value: Size(cacheCost: size), forKey: key)
        return false
    }
}
