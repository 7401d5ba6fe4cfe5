@_spi(Server) import Kingfisher

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
    private let removals = Removals()
    private let lifetime: StorageExpiration

    /// Makes an empty list, whose errors last for `seconds`.
    init(seconds: Double) { lifetime = .seconds(seconds) }

    /// The error of a recent attempt; nil if there was none.
    subscript(key: String) -> ServiceError? {
        failures.value(forKey: key, extendingExpiration: .none)?.error
    }

    /// Marks the forgotten errors of a key before an attempt begins.
    func mark(_ key: String) -> RemovalMark { removals.mark(key) }

    /// Remembers the error of an attempt, unless the errors of its key were forgotten since.
    func add(_ error: ServiceError, for key: String, _ mark: RemovalMark? = nil) {
        let store = {
            failures.store(value: Failure(error, of: key), forKey: key, expiration: lifetime)
        }
        guard let mark else { return store() }
        if mark.store(store) == .overtaken { failures.remove(forKey: key) }
    }

    /// Forgets an error.
    func remove(_ key: String) {
        removals.note(key)
        failures.remove(forKey: key)
    }
}
