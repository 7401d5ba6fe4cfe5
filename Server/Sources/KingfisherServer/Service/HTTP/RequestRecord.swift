import Logging
import Synchronization

/// Facts about one request, for its line in the log and for the debug fields.
struct RequestRecord: Sendable {
    /// The address of the client; nil if it is not known.
    var client: String?
    /// The layer that had the result, or `none`.
    var layer: String?
    /// The source.
    var source: ImageReference?
    /// The error, with its details.
    var error: ServiceError?
    /// The time by part of the work.
    var times: [ServiceMetrics.Stage: Duration] = [:]

    /// The value of the `Server-Timing` field.
    var serverTiming: String {
        ServiceMetrics.Stage.allCases.compactMap { stage in
            times[stage].map { "\(stage.rawValue);dur=\(Self.milliseconds($0))" }
        }.joined(separator: ", ")
    }

    /// A duration in milliseconds, rounded down to hundredths.
    static func roundedMilliseconds(_ duration: Duration) -> Double {
        Double(duration.nanoseconds / 10_000) / 100
    }

    /// A duration in milliseconds with two decimal places.
    static func milliseconds(_ duration: Duration) -> String {
        let hundredths = duration.nanoseconds / 10_000
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

/// Identifiers of requests.
enum RequestID {
    private static let start = UInt32.random(in: 0...UInt32.max)
    private static let last = Atomic<UInt64>(0)

    /// The client's identifier if it is short and harmless, otherwise a new one.
    static func accepted(_ text: String?) -> String {
        if let text, isHarmless(text) { return text }
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(String(start, radix: 36))-\(String(number, radix: 36))"
    }

    private static func isHarmless(_ text: String) -> Bool {
        let bytes = text.utf8
        return !bytes.isEmpty && bytes.count <= 64
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_.:".utf8.contains(byte)
                }
            }
    }
}
