import CoreMetrics
import Foundation
import Kingfisher
import Synchronization

/// The metrics of the service.
struct ServiceMetrics: Sendable {
    /// A part of the work on a request.
    enum Stage: String, CaseIterable {
        case lookup, download, queue, processing
    }

    /// The reason why there was no result in a cache.
    enum Miss: String, CaseIterable {
        /// No result of this request is kept.
        case absent
        /// Results of this request are never kept.
        case uncacheable
    }

    /// The layer that had a result, or from which it was made.
    enum Origin: String, CaseIterable {
        /// The result was in memory.
        case memory
        /// The result was on disk.
        case disk
        /// The result was made from a source in memory.
        case source
        /// The result was made from a source that was loaded for it.
        case none
    }

    let registry: PrometheusRegistry
    private let factory: any MetricsFactory
    private let statuses = StatusCounters()
    private let duration: CoreMetrics.Timer
    private let stages: [Stage: CoreMetrics.Timer]
    private let hits: [Origin: Counter]
    private let misses: [Miss: Counter]
    private let sourceMisses: [CacheType: [String: Counter]]
    private let sourceWaits: Counter
    private let bytes: Counter
    private let sourceBytes: Counter
    private let droppedClients: Counter

    /// Makes the metrics in a registry.
    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        factory = registry
        let factory: any MetricsFactory = registry
        duration = CoreMetrics.Timer(
            label: "kf_request_duration_seconds",
            dimensions: [],
            factory: factory
        )
        stages = Self.table("stage") {
            CoreMetrics.Timer(label: "kf_stage_duration_seconds", dimensions: $0, factory: factory)
        }
        hits = Self.table("layer", [.memory, .disk, .source]) {
            Counter(label: "kf_cache_hits_total", dimensions: $0, factory: factory)
        }
        misses = Self.table("reason") {
            Counter(label: "kf_cache_misses_total", dimensions: $0, factory: factory)
        }
        sourceMisses = Self.sourceMisses(factory)
        sourceWaits = Counter(label: "kf_source_waits_total", dimensions: [], factory: factory)
        bytes = Counter(label: "kf_response_bytes_total", dimensions: [], factory: factory)
        sourceBytes = Counter(label: "kf_source_bytes_total", dimensions: [], factory: factory)
        droppedClients = Counter(label: "kf_clients_left_total", dimensions: [], factory: factory)
        registry.describe("kf_requests_total", "Answered requests by status.")
        registry.describe(
            "kf_request_duration_seconds",
            "Time from a request's head to its answer."
        )
        registry.describe("kf_stage_duration_seconds", "Time by part of the work.")
        registry.describe("kf_cache_hits_total", "Answers by the layer that had the result.")
        registry.describe("kf_cache_misses_total", "Requests without a result in a cache.")
        registry.describe(
            "kf_source_cache_misses_total",
            "Lookups of sources that failed, by layer and reason."
        )
        registry.describe(
            "kf_source_waits_total",
            "Requests that waited for the download of a source, alone or with others."
        )
        registry.describe("kf_response_bytes_total", "Bytes of responses' bodies.")
        registry.describe("kf_source_bytes_total", "Bytes of sources.")
        registry.describe("kf_clients_left_total", "Clients that left before their answer.")
        addProcess()
    }

    private static func table<Key: CaseIterable & RawRepresentable & Hashable, Value>(
        _ label: String,
        _ keys: [Key] = Array(Key.allCases),
        _ make: ([(String, String)]) -> Value
    ) -> [Key: Value] where Key.RawValue == String {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, make([(label, $0.rawValue)])) })
    }

    private static func sourceMisses(
        _ factory: any MetricsFactory
    ) -> [CacheType: [String: Counter]] {
        let layers: [(CacheType, String)] = [(.memory, "memory"), (.disk, "disk")]
        return layers.reduce(into: [:]) { all, layer in
            for reason in CacheMissReason.labels {
                all[layer.0, default: [:]][reason] = Counter(
                    label: "kf_source_cache_misses_total",
                    dimensions: [("layer", layer.1), ("reason", reason)],
                    factory: factory
                )
            }
        }
    }

    /// Counts the lookups of a manager that fail, until the observation is released.
    func observe(_ manager: KingfisherManager) -> LoadObservation {
        manager.observeLoads { [sourceMisses] event in
            guard case .miss(let layer, let reason) = event.kind, let label = reason.label else {
                return
            }
            sourceMisses[layer]?[label]?.increment()
        }
    }

    /// Counts a request that waits for the download of its source.
    func waitsForSource() { sourceWaits.increment() }

    /// Counts an answered request.
    func answered(_ status: Int, bytes count: Int, in time: Duration) {
        statuses.counter(for: status, factory).increment()
        bytes.increment(by: count)
        duration.recordNanoseconds(time.nanoseconds)
        if status == 499 { droppedClients.increment() }
    }

    /// Counts a result that a layer had.
    func hit(_ layer: Origin) { hits[layer]?.increment() }

    /// Counts a result that no layer had.
    func missed(_ reason: Miss) { misses[reason]?.increment() }

    /// Records the time of a part of the work.
    func took(_ stage: Stage, _ time: Duration) {
        stages[stage]?.recordNanoseconds(time.nanoseconds)
    }

    /// Counts the bytes of a loaded source.
    func loaded(_ count: Int) { sourceBytes.increment(by: count) }

    /// Adds the system's figures of this process.
    private func addProcess() {
        registry.addReading(
            "process_resident_memory_bytes",
            type: "gauge",
            help: "Resident memory of this process, without its workers."
        ) { ProcessFigures.residentBytes.map { [([], Double($0))] } ?? [] }
        registry.addReading("process_open_fds", type: "gauge", help: "Open file descriptors.") {
            ProcessFigures.openFiles.map { [([], Double($0))] } ?? []
        }
        registry.addReading(
            "process_cpu_seconds_total",
            type: "counter",
            help: "Processor time of this process, without its workers."
        ) { [([], ProcessFigures.processorSeconds)] }
        registry.addReading("kf_workers", type: "gauge", help: "Worker processes that run.") {
            [([], Double(ProcessFigures.children))]
        }
    }
}

extension CacheMissReason {
    fileprivate static let labels = ["never_stored", "expired", "evicted", "other", "damaged"]

    /// The value of the metrics' label; nil for a layer that was not asked.
    fileprivate var label: String? {
        switch self {
        case .neverStored: "never_stored"
        case .expired: "expired"
        case .evicted: "evicted"
        case .otherProcessor: "other"
        case .damaged: "damaged"
        case .notAsked: nil
        }
    }
}

/// Counters by status; only statuses of this service occur, so there are few.
private final class StatusCounters: Sendable {
    private let counters = Mutex<[Int: Counter]>([:])

    func counter(for status: Int, _ factory: any MetricsFactory) -> Counter {
        counters.withLock { counters in
            if let counter = counters[status] { return counter }
            let counter = Counter(
                label: "kf_requests_total",
                dimensions: [("status", "\(status)")],
                factory: factory
            )
            counters[status] = counter
            return counter
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, at most that of an `Int64`.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product &+ attoseconds / 1_000_000_000
    }
}
