/// The values of one metric at one time.
struct MetricReading: Sendable {
    /// One value with its labels.
    enum Value: Sendable {
        case number(Double)
        /// Counts of values up to each bound, and above the last one.
        case histogram(bounds: [Double], counts: [Int], sum: Double)
    }

    var name: String
    var help: String
    /// `counter`, `gauge` or `histogram`.
    var type: String
    var values: [(labels: [(String, String)], value: Value)]
}
