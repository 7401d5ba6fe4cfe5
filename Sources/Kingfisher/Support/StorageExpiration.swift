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
        let expiry: TimeInterval =
            switch self {
            case .never: .infinity
            case .seconds, .days: now + length(from: now)
            case .date(let date): date.timeIntervalSinceReferenceDate
            case .expired: -.infinity
            }
        // No number is before or after any time: its value would be missed, and never removed.
        return expiry.isNaN ? -.infinity : expiry
    }

    /// Whether a value with this expiration would be invalid from the start.
    func isAlreadyExpired(at now: TimeInterval) -> Bool {
        // Written as a negation so that NaN counts as expired.
        !(length(from: now) > 0)
    }
}

/// How a read extends the expiration of a cached value.
public enum ExpirationExtending: Sendable {
    /// The read does not change the expiration.
    case none
    /// The value's own expiration starts again at the time of the read.
    case cacheTime
    /// The given expiration starts at the time of the read.
    case expirationTime(_ expiration: StorageExpiration)
}

/// The state of a key in a store, for diagnostics.
enum StoreFinding: Sendable, Equatable {
    /// A valid value; the seconds until it expires.
    case valid(TimeInterval)
    /// An expired value; the seconds since it expired.
    case expired(TimeInterval)
    /// A value evicted to make room for others.
    case evicted
    /// No value is known.
    case unknown
}
