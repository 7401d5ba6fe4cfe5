import Foundation

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
