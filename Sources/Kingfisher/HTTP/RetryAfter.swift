package import Foundation

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
