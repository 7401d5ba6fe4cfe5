import Foundation

/// A memory cache of the design that Apple's platforms suggest: `NSCache`, a lock, a set of keys.
///
/// Reads go to the cache alone and prolong the entry by a date; stores take the lock and remember
/// the key, so that a sweep can find what has expired.
///
/// `@unchecked`: the set is guarded by the lock, and `NSCache` has one of its own.
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
