public import Foundation

/// When a cached value stops being valid.
public enum StorageExpiration: Sendable {
    /// The value never expires.
    case never
    /// The value is valid for this many seconds from now.
    case seconds(TimeInterval)
    /// The value is valid for this many days of 86,400 seconds from now.
    case days(Int)
    /// The value is valid until this date.
    case date(Date)
    /// The value has already expired: nothing is stored.
    case expired
}

extension StorageExpiration {
    /// How long a value is valid from `now`, in seconds; 0 or less if it has expired.
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

    /// The time from which a value made at `now` is invalid.
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

    /// Whether a value with this expiration would be invalid from the start.
    func isAlreadyExpired(at now: TimeInterval) -> Bool {
        // Written as a negation so that NaN counts as expired.
        !(length(from: now) > 0)
    }
}
