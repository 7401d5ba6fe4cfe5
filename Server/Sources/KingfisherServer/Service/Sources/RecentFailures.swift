import Kingfisher

/// Errors that are repeated for some seconds without another attempt.
///
/// 4 MiB at most, which is some three thousand of them.
struct RecentFailures: Sendable {
    private final class Failure: Sendable, CacheCostCalculable {
        let error: ServiceError
        let cacheCost: Int

        init(_ error: ServiceError, of key: String) {
            self.error = error
            cacheCost = 1024 + key.utf8.count
        }
    }

    private let failures = MemoryStorage.Backend<Failure>(config: .init(totalCostLimit: 4 << 20))
    private let lifetime: StorageExpiration

    /// Makes an empty list, whose errors last for `seconds`.
    init(seconds: Double) { lifetime = .seconds(seconds) }

    /// The error of a recent attempt; nil if there was none.
    subscript(key: String) -> ServiceError? {
        failures.value(forKey: key, extendingExpiration: .none)?.error
    }

    /// Remembers an error.
    func add(_ error: ServiceError, for key: String) {
        failures.store(value: Failure(error), forKey: key, expiration: lifetime)
    }

    /// Forgets an error.
    func remove(_ key: String) { failures.remove(forKey: key) }
}
