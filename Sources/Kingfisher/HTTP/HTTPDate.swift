package import Foundation

/// Dates as HTTP writes them (RFC 9110, 5.6.7).
///
/// By hand: a `DateFormatter` costs a millisecond to make, and every cached answer has three dates.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Reads the format to send and the two obsolete ones to understand.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    ///     `Sun Nov  6 08:49:37 1994`.
    ///   - now: Decides the century of a year with two digits.
    /// - Returns: `nil` if it is none of them, or no day of the calendar.
    package static func parse(_ text: String, now: Date = Date()) -> Date? {
        var words = text.split { " ,-".contains($0) }.map(String.init)
        guard words.count >= 5, words[0].allSatisfy(\.isLetter) else { return nil }
        words.removeFirst()
        if words[0].first?.isLetter == true {
            // asctime: month, day, time, year.
            guard words.count == 4 else { return nil }
            return date(day: words[1], month: words[0], year: words[3], time: words[2], now)
        }
        guard words.count == 5, ["GMT", "UTC"].contains(words[4]) else { return nil }
        return date(day: words[0], month: words[1], year: words[2], time: words[3], now)
    }

    private static func date(
        day: String,
        month: String,
        year: String,
        time: String,
        _ now: Date
    ) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
        guard let day = number(day), var fullYear = number(year), clock.count == 3,
            let month = months.firstIndex(of: month.lowercased()),
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        if year.count == 2 { fullYear += 1900 } else if year.count != 4 { return nil }
        guard let days = days(year: fullYear, month: month + 1, day: day) else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        var date = Date(timeIntervalSince1970: TimeInterval(seconds))
        // A date that seems to be more than 50 years ahead is in the past.
        while year.count == 2, date.addingTimeInterval(50 * 365.25 * 86_400) < now {
            fullYear += 100
            guard let days = Self.days(year: fullYear, month: month + 1, day: day) else {
                return nil
            }
            date = Date(timeIntervalSince1970: TimeInterval(days * 86_400 + seconds % 86_400))
        }
        return date
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// Days since 1970-01-01 in the Gregorian calendar; `nil` for a day that it does not have.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day), year >= 1 else { return nil }
        let before = year - 1
        let untilYear = before * 365 + before / 4 - before / 100 + before / 400
        return untilYear + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
    }
}
