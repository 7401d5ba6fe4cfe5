import Synchronization

extension MemoryStorage {
    /// Values in memory by key, which any thread may use.
    ///
    /// Which values leave when a limit is reached is decided by S3-FIFO: those that were read
    /// since they came stay longest. Both limits hold after each store.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        let store: MemoryStore
        @usableFromInline let isOfObjects: Bool
        private let settings: Mutex<Config>

        /// The settings; new limits and a new sweep interval apply at once.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { $0 = newValue }
                apply(newValue)
            }
        }

        /// Makes an empty storage and starts to sweep.
        public convenience init(config: Config) {
            self.init(config: config, clock: .system)
        }

        /// Makes an empty storage that takes time from a clock of the caller's, as tests do.
        public init(config: Config, clock: WallClock) {
            settings = Mutex(config)
            isOfObjects = T.self is AnyObject.Type
            store = MemoryStore(
                limits: .init(cost: config.totalCostLimit),
                clock: clock,
                // What is in a box dies with it.
                remembersEvicted: isOfObjects
            )
            apply(config)
        }

        private func apply(_ config: Config) {
            store.limits = .init(cost: config.totalCostLimit, count: config.countLimit)
            store.sweep(every: config.cleanInterval)
        }

        /// Removes the values that have expired.
        public func removeExpired() { store.removeExpired() }

        /// Stores a value, instead of an earlier one of the key if there is one.
        ///
        /// - Parameters:
        ///   - value: Its cost is asked for now, and counts until it leaves.
        ///   - key: The key to find it by.
        ///   - expiration: The rule for this value instead of that of the settings. Nothing is
        ///     stored if it is already expired.
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

        /// Returns the value of a key, unless it is missing or has expired.
        ///
        /// What the read does to the value's expiration is up to `extendingExpiration`.
        @inlinable
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            object(forKey: key, extending: extendingExpiration).map(value(of:))
        }

        @usableFromInline
        func object(forKey key: String, extending: ExpirationExtending) -> StoredObject? {
            store.object(for: key, hash: KeyHash.of(key), extending: extending)
        }

        /// Whether there is a value that has not expired; this prolongs nothing.
        public func isCached(forKey key: String) -> Bool { store.contains(CacheKey(key)) }

        /// Removes the value of a key, if there is one.
        public func remove(forKey key: String) { store.remove(CacheKey(key)) }

        /// Removes all values.
        public func removeAll() { store.removeAll() }

        /// The sum of the costs of all values, in bytes, those included that have expired but were
        /// not swept yet.
        ///
        /// - Complexity: O(1).
        public func totalCacheCost() -> Int { store.totalCost }

        /// What the layer has done so far, and what it holds.
        ///
        /// - Complexity: O(1).
        public var statistics: MemoryStatistics { store.statistics }

        // MARK: Objects

        // No casts: a conditional one costs as much as the rest of a hit. Inlinable, for only a
        // caller's module knows what `T` is.

        private func object(of value: T) -> StoredObject {
            isOfObjects ? unsafeBitCast(value, to: StoredObject.self) : Box(value)
        }

        @inlinable
        func value(of object: StoredObject) -> T {
            isOfObjects
                ? unsafeBitCast(object, to: T.self) : unsafeDowncast(object, to: Box<T>.self).value
        }
    }

    /// Makes an object of a value.
    @usableFromInline
    final class Box<Value: Sendable>: Sendable {
        @usableFromInline let value: Value

        init(_ value: Value) { self.value = value }
    }
}
