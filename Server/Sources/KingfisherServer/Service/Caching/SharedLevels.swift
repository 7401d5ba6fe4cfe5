import Kingfisher

/// The storages of results that machines share, the fastest first.
struct SharedLevels: Sendable {
    /// The name of the storage that the program gives the service, such as Redis.
    static let machines = "machines"
    /// The name of the store of the configuration.
    static let store = "store"

    let storages: [(storage: any SharedImageStorage, settings: SharedStorageSettings)]
    /// The names of the storages in metrics.
    let names: [String]

    /// Finds the storages.
    ///
    /// - Parameters:
    ///   - configuration: Names a store of objects.
    ///   - transport: Sends requests to it.
    ///   - storage: The storage of the program, with its limits.
    init(
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport,
        sharing storage: (any SharedImageStorage, SharedStorageSettings)?
    ) {
        var levels: [(String, any SharedImageStorage, SharedStorageSettings)] = []
        if let (storage, settings) = storage { levels.append((Self.machines, storage, settings)) }
        if let place = configuration.caches.resultStore.flatMap({ S3Results.Place($0) }) {
            let timeout = configuration.caches.resultStoreTimeout
            let settings = SharedStorageSettings.forObjects(timeout: timeout)
            let store = S3Results(place, configuration, transport, settings)
            levels.append((Self.store, store, settings))
        }
        names = levels.map(\.0)
        storages = levels.map { ($0.1, $0.2) }
    }

    /// Adds metrics of the storages.
    ///
    /// - Parameters:
    ///   - registry: The metrics.
    ///   - statistics: The use of each storage by the caches of results and of sources, which use
    ///     the storage of the program only.
    func addReadings(
        to registry: PrometheusRegistry,
        _ statistics:
            @escaping @Sendable () -> (
                results: [SharedStorageStatistics], sources: [SharedStorageStatistics]
            )
    ) {
        guard !storages.isEmpty else { return }
        let levels = { @Sendable [names] in
            let (results, sources) = statistics()
            return zip(names, results).map { name, result in
                (name, [result] + (name == Self.machines ? sources : []))
            }
        }
        registry.addReading(
            "kf_shared_storage_total",
            type: "counter",
            help: "Requests to the storages that machines share, by their outcome."
        ) {
            let outcomes: [(String, KeyPath<SharedStorageStatistics, Int>)] = [
                ("hit", \.hits), ("miss", \.misses), ("unavailable", \.unavailable),
                ("damaged", \.damaged), ("stored", \.stores), ("dropped", \.droppedStores),
            ]
            return levels().flatMap { level, statistics in
                outcomes.map { name, count in
                    let sum = statistics.reduce(0) { $0 + $1[keyPath: count] }
                    return ([("level", level), ("outcome", name)], Double(sum))
                }
            }
        }
        registry.addReading(
            "kf_shared_storage_paused",
            type: "gauge",
            help: "1 while a storage that machines share is not asked, because it failed."
        ) {
            levels().map { level, statistics in
                ([("level", level)], statistics.contains(where: \.isPaused) ? 1 : 0)
            }
        }
    }
}
