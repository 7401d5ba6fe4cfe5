public import Foundation

/// When a cached value stops being valid.
public enum StorageExpiration: Sendable {
    /// The value stays valid for ever.
    case never
    /// The value is valid for so many seconds from now on.
    case seconds(TimeInterval)
    /// The value is valid for so many days of 86,400 seconds from now on.
    case days(Int)
    /// The value is valid until this date.
    case date(Date)
    /// The value is no longer valid: nothing is stored under this rule.
    case expired
}

extension StorageExpiration {
    /// How long a value stays valid from `now` on, in seconds; not more than 0 if it never is.
    ///
    /// `now` is in seconds since the reference date.
    func length(from now: TimeInterval) -> TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): seconds
        case .days(let days): TimeInterval(days) * 86_400
        case .date(let date): date.timeIntervalSinceReferenceDate - now
        case .expired: -.infinity
        }
    }

    /// The moment from which on a value that is made at `now` is invalid.
    ///
    /// Both are in seconds since the reference date.
    func expiry(from now: TimeInterval) -> TimeInterval {
        switch self {
        case .never: .infinity
        case .seconds, .days: now + length(from: now)
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .expired: -.infinity
        }
    }

    /// Whether a value under this rule would be invalid from the start.
    func isAlreadyExpired(at now: TimeInterval) -> Bool {
        // Written so that a length that is no number counts as expired.
        !(length(from: now) > 0)
    }
}
