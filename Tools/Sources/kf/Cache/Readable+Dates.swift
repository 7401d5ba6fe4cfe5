import Foundation

extension Readable {
    /// A date such as `2026-11-21 04:05`, in UTC.
    static func moment(_ date: Date) -> String {
        let format = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .gmt)
        return String(date.formatted(format).prefix(16))
    }

    /// A time span such as `in 40 s`, `in 5 min`, `in 7 h` or `in 6 d`, in whole units.
    ///
    /// Rounded to nearest: an entry stored for a week expires in 7 days a second later, not in 6.
    static func distance(from start: Date, to end: Date) -> String {
        let seconds = end.timeIntervalSince(start)
        return switch seconds {
        case ..<120: String(format: "in %.0f s", seconds.rounded())
        case ..<7200: String(format: "in %.0f min", (seconds / 60).rounded())
        case ..<172_800: String(format: "in %.0f h", (seconds / 3600).rounded())
        default: String(format: "in %.0f d", (seconds / 86_400).rounded())
        }
    }

    /// A duration such as `40 s`, `3 min 20 s` or `2 h 5 min`.
    static func seconds(_ seconds: Double) -> String {
        let whole = Int(min(1e9, max(0, seconds.rounded())))
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min \(whole % 60) s"
        default: return "\(whole / 3600) h \(whole % 3600 / 60) min"
        }
    }

    /// A count with its noun, such as `1 entry` or `3 entries`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
