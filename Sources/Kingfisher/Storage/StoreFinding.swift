import Foundation
import Synchronization

/// What a store knows about a key, for people who ask why.
enum StoreFinding: Sendable, Equatable {
    /// A valid value, for so many seconds more.
    case valid(TimeInterval)
    /// A value that expired so many seconds ago.
    case expired(TimeInterval)
    /// A value that had to leave for others.
    case evicted
    /// Nothing.
    case unknown
}

extension MemoryStore {
    /// What is known about a key; counts as no access.
    func finding(for key: CacheKey) -> StoreFinding {
        let now = clock.now()
        let expiry = shards[key.hash & 15].state.withLock { $0.entry(of: key)?.expiry }
        if let expiry { return expiry > now ? .valid(expiry - now) : .expired(now - expiry) }
        return queues.withLock { $0.ghosts.remembers(key.hash) } ? .evicted : .unknown
    }
}

extension DiskStore {
    /// What is known about a file name; counts as no access and touches no disk.
    func finding(for name: String) -> StoreFinding {
        let now = clock.now()
        guard let expiry = state.withLock({ $0.index.expiry(of: name) }) else { return .unknown }
        return expiry > now ? .valid(expiry - now) : .expired(now - expiry)
    }

    /// The keys that begin with `prefix`.
    ///
    /// - Complexity: O(entries).
    func keys(withPrefix prefix: String) -> [String] {
        entries.map(\.key).filter { $0.hasPrefix(prefix) }
    }
}
