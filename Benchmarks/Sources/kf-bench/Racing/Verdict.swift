import Foundation

/// A figure and its limit.
struct Verdict: Sendable {
    let label: String
    let value: Double
    let limit: Double
    /// Whether the limit is a minimum instead of a maximum.
    let isMinimum: Bool

    init(_ label: String, _ value: Double, atMost limit: Double) {
        self.label = label
        self.value = value
        self.limit = limit
        isMinimum = false
    }

    init(_ label: String, _ value: Double, atLeast limit: Double) {
        self.label = label
        self.value = value
        self.limit = limit
        isMinimum = true
    }

    var isReached: Bool { isMinimum ? value >= limit : value <= limit }

    /// One line: the mark, the figure and the limit.
    var line: String {
        let mark = isReached ? "ok    " : "MISSED"
        let bound = isMinimum ? "at least" : "at most"
        return "\(mark)  \(label): \(Self.text(value)) (\(bound) \(Self.text(limit)))"
    }

    private static func text(_ value: Double) -> String {
        value.magnitude >= 100
            ? String(format: "%.0f", value) : String(format: "%.3g", value)
    }
}
