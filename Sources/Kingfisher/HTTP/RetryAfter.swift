package import Foundation

/// The wait that a server asks for with a 429 or a 503 (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// Longest wait that is believed: a day.
    package static let longest = Duration.seconds(86_400)

    /// Reads `Retry-After`: a number of seconds, or a date; see ``HTTPDate``.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - now: What a date is compared with.
    /// - Returns: 0 … ``longest``; `nil` if the value is neither.
    package static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if let seconds = HTTPSyntax.seconds(text) { return min(.seconds(seconds), longest) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return min(max(.zero, .seconds(min(seconds, 1e6))), longest)
    }
}

extension TransferResponse {
    /// The wait that the server asks for, if it does.
    ///
    /// - Parameter now: What a date is compared with.
    /// - Returns: `nil` without a readable `Retry-After`.
    package func retryAfter(now: Date = Date()) -> Duration? {
        value(for: "Retry-After").flatMap { RetryAfter.delay($0, now: now) }
    }
}
