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
    /// The unit as UCUM writes it, by the end of the name; empty for plain numbers.
    var unit: String {
        let words = name.split(separator: "_")
        return switch words.last == "total" ? words.dropLast().last : words.last {
        case "seconds": "s"
        case "bytes": "By"
        default: ""
        }
    }
    var values: [(labels: [(String, String)], value: Value)]
}
