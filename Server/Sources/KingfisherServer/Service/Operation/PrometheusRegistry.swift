public import CoreMetrics
import Synchronization

/// Collects metrics of the swift-metrics API, and writes them in Prometheus' text format.
///
/// Each metric has at most 200 combinations of labels; further ones share a series that is
/// marked as overflow, so that hostile input cannot fill the memory.
public final class PrometheusRegistry: MetricsFactory {
    struct Series: Sendable {
        let labels: String
        let dimensions: [(String, String)]
        let value: any PrometheusValue
    }

    struct Family: Sendable {
        let type: String
        var series: [String: Series] = [:]
    }

    private static let maximalSeries = 200
    private static let maximalFamilies = 500

    private let families = Mutex<[String: Family]>([:])
    private let help = Mutex<[String: String]>([:])
    private let readings = Mutex<[(name: String, type: String, help: String, read: Reading)]>([])
    private let prefix: String

    typealias Reading = @Sendable () -> [(labels: [(String, String)], value: Double)]

    /// Makes an empty registry.
    ///
    /// - Parameter namespace: The beginning of all names; empty for none.
    public init(namespace: String = "") {
        prefix = namespace.isEmpty ? "" : namespace + "_"
    }

    /// Adds a metric whose values are read whenever the metrics are written.
    func addReading(_ name: String, type: String, help: String, _ read: @escaping Reading) {
        readings.withLock { $0.append((prefix + Self.name(name), type, help, read)) }
    }

    /// Describes a metric, which may get its first value later.
    func describe(_ name: String, _ text: String) {
        help.withLock { $0[prefix + Self.name(name)] = text }
    }

    /// All metrics in Prometheus' text format, version 0.0.4.
    public var text: String {
        var text = ""
        let help = help.withLock { $0 }
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += Self.head(name, family.type, help[name] ?? "")
            for series in family.series.values.sorted(by: { $0.labels < $1.labels }) {
                series.value.write(name, series.labels, to: &text)
            }
        }
        for reading in readings.withLock({ $0 }) {
            text += Self.head(reading.name, reading.type, reading.help)
            for (labels, value) in reading.read() {
                text += "\(reading.name)\(Self.braced(Self.labels(labels))) \(Self.number(value))\n"
            }
        }
        return text
    }

    /// All metrics for other systems.
    var readingsOfAll: [MetricReading] {
        let help = help.withLock { $0 }
        let own = families.withLock { $0 }.sorted { $0.key < $1.key }.map { name, family in
            MetricReading(
                name: name,
                help: help[name] ?? "",
                type: family.type,
                values: family.series.values.sorted { $0.labels < $1.labels }
                    .map { ($0.dimensions, $0.value.reading) }
            )
        }
        return own
            + readings.withLock { $0 }.map { reading in
                MetricReading(
                    name: reading.name,
                    help: reading.help,
                    type: reading.type,
                    values: reading.read().map { ($0.labels, .number($0.value)) }
                )
            }
    }

    // MARK: Series

    private func value<Value: PrometheusValue>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ type: String,
        _ make: () -> Value
    ) -> Value {
        let name = prefix + Self.name(label)
        return families.withLock { families in
            let isKnown = families[name] != nil
            guard isKnown || families.count < Self.maximalFamilies else { return make() }
            var family = families[name] ?? Family(type: type)
            // A second type under the same name would be malformed, so it is counted unseen.
            guard family.type == type else { return make() }
            var (labels, dimensions) = (Self.labels(dimensions), dimensions)
            if family.series[labels] == nil, family.series.count >= Self.maximalSeries {
                labels = "overflow=\"true\""
                dimensions = [("overflow", "true")]
            }
            if let value = family.series[labels]?.value as? Value { return value }
            let value = make()
            family.series[labels] = Series(labels: labels, dimensions: dimensions, value: value)
            families[name] = family
            return value
        }
    }

    /// A count that only grows.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, dimensions, "counter") { PrometheusCounter() }
    }

    /// A sum that only grows.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        value(label, dimensions, "counter") { PrometheusFloatingCounter() }
    }

    /// A value that goes up and down.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, dimensions, "gauge") { PrometheusGauge() }
    }

    /// Counts of values by size, or the last value.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? value(label, dimensions, "histogram") { PrometheusHistogram(.numbers) }
            : value(label, dimensions, "gauge") { PrometheusGauge() }
    }

    /// Counts of times by length, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(label, dimensions, "histogram") { PrometheusHistogram(.seconds) }
    }

    /// Does nothing: counts must not go back.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: counts must not go back.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing: counts must not go back.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: counts must not go back.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: counts must not go back.
    public func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: Text

    private static func head(_ name: String, _ type: String, _ help: String) -> String {
        (help.isEmpty ? "" : "# HELP \(name) \(help)\n") + "# TYPE \(name) \(type)\n"
    }

    /// A name of the characters that Prometheus allows.
    private static func name(_ label: String) -> String {
        let bytes = label.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: byte
            default: UInt8(ascii: "_")
            }
        }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.first.map { $0.isNumber } ?? true ? "_" + name : name
    }

    private static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }.map { label, value in
            let value = value.map { character in
                switch character {
                case "\\": #"\\"#
                case "\"": #"\""#
                case "\n", "\r\n": #"\n"#
                default: String(character)
                }
            }
            return "\(name(label))=\"\(value.joined())\""
        }.joined(separator: ",")
    }

    static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

    static func number(_ value: Double) -> String {
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
