import CoreMetrics
import Synchronization

/// A value that can be written in Prometheus' text format.
protocol PrometheusValue: AnyObject, Sendable {
    /// The value for other systems.
    var reading: MetricReading.Value { get }

    /// Appends the lines of the value.
    func write(_ name: String, _ labels: String, to text: inout String)
}

/// A count that only grows.
final class PrometheusCounter: PrometheusValue, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(max(0, amount), ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }

    var reading: MetricReading.Value { .number(Double(count.load(ordering: .relaxed))) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += "\(name)\(PrometheusRegistry.braced(labels)) \(count.load(ordering: .relaxed))\n"
    }
}

/// A sum that only grows.
final class PrometheusFloatingCounter: PrometheusValue, FloatingPointCounterHandler {
    private let sum = Mutex(0.0)

    func increment(by amount: Double) {
        guard amount > 0 else { return }
        sum.withLock { $0 += amount }
    }

    func reset() { sum.withLock { $0 = 0 } }

    var reading: MetricReading.Value { .number(sum.withLock { $0 }) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let value = PrometheusRegistry.number(sum.withLock { $0 })
        text += "\(name)\(PrometheusRegistry.braced(labels)) \(value)\n"
    }
}

/// A value that goes up and down.
final class PrometheusGauge: PrometheusValue, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { self.value.withLock { $0 = value } }

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }

    var reading: MetricReading.Value { .number(value.withLock { $0 }) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let value = PrometheusRegistry.number(value.withLock { $0 })
        text += "\(name)\(PrometheusRegistry.braced(labels)) \(value)\n"
    }
}

/// Counts of values by size.
final class PrometheusHistogram: PrometheusValue, TimerHandler, RecorderHandler {
    /// The kind of the values.
    enum Kind {
        /// From half a millisecond to ten seconds.
        case seconds
        /// Powers of ten.
        case numbers

        var bounds: [Double] {
            switch self {
            case .seconds:
                [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
            case .numbers: [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000]
            }
        }
    }

    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(_ kind: Kind) {
        bounds = kind.bounds
        state = Mutex(State(counts: [Int](repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    var reading: MetricReading.Value {
        let state = state.withLock { $0 }
        return .histogram(bounds: bounds, counts: state.counts, sum: state.sum)
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let state = state.withLock { $0 }
        var count = 0
        for (bound, own) in zip(bounds + [.infinity], state.counts) {
            count += own
            let le = "le=\"\(PrometheusRegistry.number(bound))\""
            let all = labels.isEmpty ? le : "\(labels),\(le)"
            text += "\(name)_bucket{\(all)} \(count)\n"
        }
        let braced = PrometheusRegistry.braced(labels)
        text += "\(name)_sum\(braced) \(PrometheusRegistry.number(state.sum))\n"
        text += "\(name)_count\(braced) \(count)\n"
    }
}
