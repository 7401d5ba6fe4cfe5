import Foundation
import Synchronization

extension MemoryStore {
    /// The state of a key; does not count as an access.
    func finding(for key: CacheKey) -> StoreFinding {
        let now = clock.now()
        let expiry = shards[key.hash & 15].state.withLock { $0.entry(of: key)?.expiry }
        if let expiry { return expiry > now ? .valid(expiry - now) : .expired(now - expiry) }
        return queues.withLock { $0.ghosts.remembers(key.hash) } ? .evicted : .unknown
    }
}
