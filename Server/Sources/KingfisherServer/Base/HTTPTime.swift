import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Dates of header fields (RFC 9110, 5.6.7).
enum HTTPTime {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time in seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        guard gmtime_r(&time, &parts) != nil else { return text(0) }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0)) }
        return "\(days[Int(parts.tm_wday)]), \(padded(Int(parts.tm_mday))) "
            + "\(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900) "
            + "\(clock.joined(separator: ":")) GMT"
    }

    /// The seconds since 1970 of a text in the form of ``text(_:)``; nil for any other.
    static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = number(words[1], 1...31),
            let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], 1601...9999)
        else { return nil }
        let clock = words[4].split(separator: ":")
        guard clock.count == 3, let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59), let second = number(clock[2], 0...60)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(year - 1900), Int32(month))
        parts.tm_mday = Int32(day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        return timegm(&parts)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
