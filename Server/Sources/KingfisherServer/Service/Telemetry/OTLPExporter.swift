import CoreMetrics
import Foundation
import Kingfisher
import Logging
import ServiceLifecycle
import Synchronization
import Tracing

/// Sends spans and metrics to a collector, by OTLP over HTTP in the binary form.
///
/// Spans wait in a queue of at most 8,192; further ones are dropped and counted. A batch that the
/// collector does not take is sent again with the next one, as long as the queue has room.
final class OTLPExporter: Service {
    private static let maximalQueue = 8192
    private static let batchSize = 512

    private let settings: ServiceConfiguration.Telemetry
    private let receiver: TelemetryReceiver
    private let registry: PrometheusRegistry
    private let dropped: Counter
    private let begin = DefaultTracerClock.now.nanosecondsSinceEpoch
    private let queue = Mutex<[EndedSpan]>([])

    /// Makes an exporter; nil if the configuration has none.
    init?(
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport,
        _ registry: PrometheusRegistry,
        _ logger: Logger
    ) {
        guard configuration.telemetry.isOn else { return nil }
        settings = configuration.telemetry
        receiver = TelemetryReceiver("the collector of telemetry", transport, logger)
        self.registry = registry
        registry.describe("kf_spans_dropped_total", "Spans that the collector did not take.")
        dropped = Counter(label: "kf_spans_dropped_total", dimensions: [], factory: registry)
    }

    /// The tracer whose spans are sent.
    var tracer: any Tracer {
        OTLPTracer(share: settings.sampledShare) { [weak self] span in self?.add(span) }
    }

    private func add(_ span: EndedSpan) {
        let isTaken = queue.withLock { queue in
            guard queue.count < Self.maximalQueue else { return false }
            queue.append(span)
            return true
        }
        if !isTaken { dropped.increment() }
    }

    /// Sends spans and metrics until the service stops, and once more at the end.
    func run() async throws {
        // Cancelled by the end of the group, like a sleep within it.
        try? await cancelWhenGracefulShutdown { [self] in
            var lastMetrics = ContinuousClock.now
            while true {
                try await Task.sleep(for: settings.interval)
                await sendSpans()
                guard ContinuousClock.now - lastMetrics >= settings.metricsInterval else {
                    continue
                }
                lastMetrics = .now
                await sendMetrics()
            }
        }
        await flush()
    }

    /// Sends everything now.
    func flush() async {
        await sendSpans()
        await sendMetrics()
    }

    private func sendSpans() async {
        while true {
            let batch = queue.withLock { Array($0.prefix(Self.batchSize)) }
            guard !batch.isEmpty else { return }
            let body = OTLPMessages.traces(batch, of: settings.serviceName)
            guard await send(body, to: "traces") else {
                // Room for new spans: the oldest ones go.
                let surplus = queue.withLock { queue in
                    let surplus = max(0, queue.count - Self.maximalQueue / 2)
                    queue.removeFirst(surplus)
                    return surplus
                }
                if surplus > 0 { dropped.increment(by: Int64(surplus)) }
                return
            }
            queue.withLock { $0.removeFirst(min($0.count, batch.count)) }
        }
    }

    private func sendMetrics() async {
        guard settings.sendsMetrics else { return }
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        let body = OTLPMessages.metrics(
            registry.readingsOfAll,
            since: begin,
            at: now,
            of: settings.serviceName
        )
        _ = await send(body, to: "metrics")
    }

    private func send(_ body: [UInt8], to kind: String) async -> Bool {
        let type = HeaderField(name: "Content-Type", value: "application/x-protobuf")
        return await receiver.send(
            Data(body),
            to: "\(settings.endpoint?.base ?? "http://localhost:4318")/v1/\(kind)",
            settings.fields + [type]
        )
    }
}
