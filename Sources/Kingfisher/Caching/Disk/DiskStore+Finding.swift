import Foundation
import Synchronization

extension DiskStore {
    /// The state of an entry; does not count as an access and does not access the disk.
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
