import Foundation

/// A memory cache in the design that Apple's platforms suggest: `NSCache`, a lock, a set of keys.
///
/// Reads use only the cache and extend the entry's expiration date. Stores take the lock and record
/// the key, so that a sweep can find expired entries.
///
/// `@unchecked`: the lock guards the set, and `NSCache` is thread-safe.
final class BaselineMemory: @unchecked Sendable {
    private final class Entry {
        let value: Item
        var expiry: Date

        init(_ value: Item) {
            self.value = value
            expiry = Date(timeIntervalSinceNow: 300)
        }
    }

    private let cache = NSCache<NSString, Entry>()
    private let lock = NSLock()
    private var keys: Set<String> = []

    func store(_ value: Item, for key: String) {
        lock.withLock {
            cache.setObject(Entry(value), forKey: key as NSString, cost: value.cacheCost)
            keys.insert(key)
        }
    }

    func value(for key: String) -> Item? {
        guard let entry = cache.object(forKey: key as NSString), entry.expiry > Date() else {
            return nil
        }
        entry.expiry = Date(timeIntervalSinceNow: 300)
        return entry.value
    }
}
