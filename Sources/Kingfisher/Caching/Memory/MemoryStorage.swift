public import Foundation
import Synchronization

/// The memory storage of a cache.
public enum MemoryStorage {
    /// The settings of a memory storage.
    public struct Config {
        /// The maximum total cost of the values in bytes.
        ///
        /// A value that costs more on its own is not stored, so 0 stores no value with a cost.
        public var totalCostLimit: Int

        /// The maximum number of values.
        public var countLimit: Int = .max

        /// The expiration of values stored without their own.
        public var expiration: StorageExpiration = .seconds(300)

        /// The interval in seconds at which expired values are removed.
        public var cleanInterval: TimeInterval

        /// Whether values are kept when the app enters the background.
        ///
        /// Has no effect on Linux; exists for compatibility.
        public var keepWhenEnteringBackground: Bool = false

        /// Whether the storage notices that values are requested in a loop that does not fit into it.
        ///
        /// Examples are a long list that is scrolled down and back up, and a carousel. A part of the
        /// values, as large as fits, is then kept while the loop lasts. Otherwise each value would
        /// be evicted shortly before it is requested again.
        public var noticesLoops: Bool = true

        /// Makes settings with an expiration of five minutes and no count limit.
        ///
        /// - Parameters:
        ///   - totalCostLimit: The maximum total cost of the values in bytes.
        ///   - cleanInterval: The interval in seconds at which expired values are removed.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }
    }
}

extension MemoryStorage.Config: Sendable {}

/// A value that knows its size in memory.
public protocol CacheCostCalculable {
    /// The size of the value in memory in bytes, as exactly as possible.
    var cacheCost: Int { get }
}

extension MemoryStorage {
    /// Stores values in memory, by key.
    ///
    /// All methods can be called on any thread.
    ///
    /// When a limit is reached, values that were read since they were stored are kept longest. In a
    /// loop that does not fit, a part of it is kept, see ``MemoryStorage/Config/noticesLoops``. Both
    /// limits hold after each store.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        let store: MemoryStore
        @usableFromInline let isOfObjects: Bool
        private let settings: Mutex<Config>

        /// The settings; new limits and a new clean interval apply immediately.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { $0 = newValue }
                apply(newValue)
            }
        }

        /// Makes an empty storage and starts the periodic removal of expired values.
        public convenience init(config: Config) {
            self.init(config: config, clock: .system)
        }

        /// Makes an empty storage with the caller's clock, for tests.
        ///
        /// - Parameters:
        ///   - config: The settings.
        ///   - clock: The source of the time and of the timer.
        public init(config: Config, clock: WallClock) {
            settings = Mutex(config)
            isOfObjects = T.self is AnyObject.Type
            store = MemoryStore(
                limits: .init(cost: config.totalCostLimit),
                clock: clock,
                // A value's box is released with its entry, so it cannot be found again.
                remembersEvicted: isOfObjects
            )
            apply(config)
        }

        private func apply(_ config: Config) {
            store.limits = .init(
                cost: config.totalCostLimit,
                count: config.countLimit,
                noticesLoops: config.noticesLoops
            )
            store.sweep(every: config.cleanInterval)
        }

        /// Removes the values that have expired.
        public func removeExpired() { store.removeExpired() }

        /// Stores a value, replacing an earlier value of the key.
        ///
        /// - Parameters:
        ///   - value: The value; its cost is computed now.
        ///   - key: The key of the value.
        ///   - expiration: Overrides the expiration of the settings. If it has already passed,
        ///     nothing is stored.
        public func store(
            value: T,
            forKey key: String,
            expiration: StorageExpiration? = nil
        ) {
            store.store(
                object(of: value),
                for: CacheKey(key),
                cost: value.cacheCost,
                expiration: expiration ?? config.expiration
            )
        }

        /// Returns the value of a key; nil if it is missing or expired.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - extendingExpiration: How the read extends the expiration.
        /// - Returns: The value, or nil.
        @inlinable
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            object(forKey: key, extending: extendingExpiration).map(value(of:))
        }

        @usableFromInline
        func object(forKey key: String, extending: ExpirationExtending) -> StoredObject? {
            store.object(
                for: key,
                hash: KeyHash.of(key),
                division: .any,
                extending: extending
            )
        }

        /// Whether there is a valid value; extends no expiration.
        public func isCached(forKey key: String) -> Bool { store.contains(CacheKey(key)) }

        /// Removes the value of a key, if there is one.
        public func remove(forKey key: String) { store.remove(CacheKey(key)) }

        /// Removes all values.
        public func removeAll() { store.removeAll() }

        /// The total cost of all values in bytes, including expired values that were not removed
        /// yet.
        ///
        /// - Complexity: O(1).
        public func totalCacheCost() -> Int { store.totalCost }

        /// The statistics of the storage, and its contents.
        ///
        /// - Complexity: O(1).
        public var statistics: MemoryStatistics { store.statistics }

        // MARK: Objects

        // Without casts, because a conditional cast costs as much as the rest of a hit. Inlinable,
        // because only the caller's module knows `T`.

        private func object(of value: T) -> StoredObject {
            isOfObjects ? unsafeBitCast(value, to: StoredObject.self) : Box(value)
        }

        @inlinable
        func value(of object: StoredObject) -> T {
            isOfObjects
                ? unsafeBitCast(object, to: T.self) : unsafeDowncast(object, to: Box<T>.self).value
        }
    }

    /// Wraps a value in an object.
    @usableFromInline
    final class Box<Value: Sendable>: Sendable {
        @usableFromInline let value: Value

        init(_ value: Value) { self.value = value }
    }
}
