import Kingfisher

/// The real memory cache, not a model of it.
struct KingfisherPolicy: Policy {
    /// What is kept: a number of bytes and nothing else.
    ///
    /// A value, so that nothing evicted can be found again because somebody holds it.
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
