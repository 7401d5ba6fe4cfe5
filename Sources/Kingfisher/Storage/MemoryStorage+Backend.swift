import Synchronization

extension MemoryStorage {
    /// Values in memory by key, which any thread may use.
    ///
    /// Which values leave when a limit is reached is decided by S3-FIFO: those that were read
    /// since they came stay longest. Both limits hold after each store.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        let store: MemoryStore<T>
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
            store = MemoryStore(limits: .init(cost: config.totalCostLimit), clock: clock)
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
                value,
                for: CacheKey(key),
                cost: value.cacheCost,
                expiration: expiration ?? config.expiration
            )
        }

        /// Returns the value of a key, unless it is missing or has expired.
        ///
        /// What the read does to the value's expiration is up to `extendingExpiration`.
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            store.value(for: CacheKey(key), extending: extendingExpiration)
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
    }
}
