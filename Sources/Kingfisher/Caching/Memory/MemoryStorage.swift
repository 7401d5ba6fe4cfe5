public import Foundation

/// The memory layer of a cache.
public enum MemoryStorage {
    /// The settings of the memory layer.
    public struct Config {
        /// The most that the values may cost together, in bytes.
        ///
        /// A value that costs more than this alone is not kept, so 0 keeps nothing that has a cost.
        public var totalCostLimit: Int

        /// The most values that may be kept.
        public var countLimit: Int = .max

        /// The rule for values that are stored without one of their own.
        public var expiration: StorageExpiration = .seconds(300)

        /// The time between two sweeps that remove expired values, in seconds.
        public var cleanInterval: TimeInterval

        /// Whether values stay when the app goes to the background.
        ///
        /// Linux knows no background, so this changes nothing.
        public var keepWhenEnteringBackground: Bool = false

        /// Makes settings with the defaults of a five-minute expiration and no limit of count.
        ///
        /// - Parameters:
        ///   - totalCostLimit: The most that the values may cost together, in bytes.
        ///   - cleanInterval: The time between two sweeps, in seconds.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }
    }
}

extension MemoryStorage.Config: Sendable {}
