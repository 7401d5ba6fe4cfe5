import Synchronization

@testable import Kingfisher

/// Numbers in a store of objects.
extension MemoryStore {
    private final class Number: Sendable {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    func store(
        _ number: Int,
        for key: CacheKey,
        cost: Int,
        tag: UInt8 = 0,
        expiration: StorageExpiration
    ) {
        store(Number(number), for: key, cost: cost, tag: tag, expiration: expiration)
    }

    func value(for key: CacheKey, extending: ExpirationExtending = .cacheTime) -> Int? {
        (object(for: key, extending: extending) as? Number)?.value
    }

    /// The costs of what is there, shard by shard.
    var residentCosts: [Int] {
        shards.indices.flatMap { shard in
            shards[shard].state.withLock { $0.entries.map(\.cost) }
        }
    }
}
