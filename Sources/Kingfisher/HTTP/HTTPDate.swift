package import Foundation

/// Dates in HTTP format (RFC 9110, 5.6.7).
///
/// Strict: any other format is invalid, and an invalid `Expires` is in the past (RFC 9111, 5.3).
/// libcurl's `curl_getdate` would accept almost any text.
package enum HTTPDate {
    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Parses the current format and the two obsolete ones; case is ignored.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6
    ///     08:49:37 1994`.
    ///   - now: Determines the century of a two-digit year.
    /// - Returns: `nil` if the text has none of the formats or the day does not exist.
    package static func parse(_ text: String, now: Date = Date()) -> Date? {
        let text = text.lowercased()
        let short = weekdays.map { $0.prefix(3) }
        if let start = short.first(where: { text.hasPrefix($0) }) {
            let rest = text.dropFirst(start.count)
            let fields =
                Fields(rest, ", DD MMM YYYY hh:nn:ss gmt") ?? Fields(rest, " MMM _D hh:nn:ss YYYY")
            if let fields { return fields.date }
        }
        guard let day = weekdays.first(where: { text.hasPrefix($0) }),
            var fields = Fields(text.dropFirst(day.count), ", DD-MMM-YY hh:nn:ss gmt")
        else { return nil }
        // A two-digit year that appears more than 50 years ahead is in the past.
        fields.year += 1900
        let earliest = now.addingTimeInterval(-50 * 365.25 * 86_400)
        while fields.year < 9900, let date = fields.date, date < earliest { fields.year += 100 }
        return fields.date
    }

    /// The parts of a date.
    private struct Fields {
        var year = 0
        private var month = ""
        private var day = 0
        private var hour = 0
        private var minute = 0
        private var second = 0

        /// Parses text that matches a pattern exactly.
        ///
        /// `Y`, `D`, `h`, `n` and `s` stand for digits, `_` for a digit of the day or a space, and
        /// `M` for a letter of the month; any other character stands for itself.
        init?(_ text: Substring, _ pattern: String) {
            guard text.utf8.count == pattern.utf8.count else { return nil }
            for (byte, mark) in zip(text.unicodeScalars, pattern.unicodeScalars) {
                let digit = Int(byte.value) - 0x30
                let isDigit = (0...9).contains(digit)
                switch mark {
                case "M":
                    month.unicodeScalars.append(byte)
                    continue
                case "_" where byte == " ": continue
                case "Y" where isDigit: year = year * 10 + digit
                case "D" where isDigit, "_" where isDigit: day = day * 10 + digit
                case "h" where isDigit: hour = hour * 10 + digit
                case "n" where isDigit: minute = minute * 10 + digit
                case "s" where isDigit: second = second * 10 + digit
                case "Y", "D", "_", "h", "n", "s": return nil
                default: guard byte == mark else { return nil }
                }
            }
        }

        /// The date; `nil` if it does not exist in the calendar.
        var date: Date? {
            guard let index = months.firstIndex(of: month), year > 0, hour < 24, minute < 60,
                second <= 60
            else { return nil }
            var time = tm()
            (time.tm_year, time.tm_mon) = (Int32(year - 1900), Int32(index))
            time.tm_mday = Int32(day)
            let midnight = timegm(&time)
            // `timegm` turns 30 February into a day of March, so compare.
            guard Int(time.tm_mday) == day, Int(time.tm_mon) == index else { return nil }
            let seconds = midnight + hour * 3600 + minute * 60 + second
            return Date(timeIntervalSince1970: TimeInterval(seconds))
        }
    }
}
