public import Foundation

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
