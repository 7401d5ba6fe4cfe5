import Foundation

/// The parts of HTTP's grammar used to validate untrusted text.
enum HTTPSyntax {
    /// The largest number of seconds that is distinguished (RFC 9111, 1.2.2): 68 years.
    static let longest = 1 << 31

    /// Whether `text` is a token (RFC 9110, 5.6.2), such as a method or a header name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Whether `text` has no control character except tab (RFC 9110, 5.5).
    ///
    /// A line break in a value would add another header.
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether `text` has neither a space nor an ASCII control character.
    static func isVisible(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] <= 0x20 || bytes[index] == 0x7F {
            return false
        }
        return true
    }

    /// The value of decimal digits, limited to `Int.max`; `nil` if `text` contains anything else.
    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text) ?? .max
    }

    /// A number of seconds, limited to ``longest``.
    static func seconds(_ text: some StringProtocol) -> Int? {
        number(text).map { min($0, longest) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// Values that must be sent back unchanged, even if they are not valid UTF-8.
extension HTTPSyntax {
    /// The first of the private-use characters that represent the bytes 128…255.
    private static let opaque: UInt32 = 0xF_0000

    /// A text from which ``bytes(ofOpaque:)`` restores the same bytes.
    static func opaqueText(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let scalars = bytes.compactMap {
            Unicode.Scalar($0 < 0x80 ? UInt32($0) : opaque + UInt32($0))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The bytes to send for a text.
    static func bytes(ofOpaque text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            let byte = scalar.value &- opaque
            return 0x80...0xFF ~= byte ? [UInt8(byte)] : Array(String(scalar).utf8)
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: isBlank)
        return start.dropLast(start.reversed().prefix(while: isBlank).count)
    }
}

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

/// The delay that a server requests with a 429 or 503 (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The longest accepted delay: one day.
    package static let longest = Duration.seconds(86_400)

    /// Parses `Retry-After`: a number of seconds, or a date; see ``HTTPDate``.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - now: The current time, subtracted from a date.
    /// - Returns: 0 … ``longest``; `nil` if the value is neither a number nor a date.
    package static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if let seconds = HTTPSyntax.seconds(text) { return min(.seconds(seconds), longest) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return min(max(.zero, .seconds(min(seconds, 1e6))), longest)
    }
}

extension TransferResponse {
    /// The delay that the server requests, if any.
    ///
    /// - Parameter now: The current time, subtracted from a date.
    /// - Returns: `nil` without a valid `Retry-After`.
    package func retryAfter(now: Date = Date()) -> Duration? {
        value(for: "Retry-After").flatMap { RetryAfter.delay($0, now: now) }
    }
}
