import Foundation

/// A result, and how it came about.
struct MadeResult: Sendable {
    var result: StoredResult
    /// The layer that answered.
    var layer: ServiceMetrics.Origin
    /// The time by part of the work.
    var times: [ServiceMetrics.Stage: Duration]
    /// How many seconds it may be kept; nil for the configured time.
    var lifetime: TimeInterval?
}
