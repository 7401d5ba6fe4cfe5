import Foundation

/// What a store knows about a key, for people who ask why.
enum StoreFinding: Sendable, Equatable {
    /// A valid value, for so many seconds more.
    case valid(TimeInterval)
    /// A value that expired so many seconds ago.
    case expired(TimeInterval)
    /// A value that had to leave for others.
    case evicted
    /// Nothing.
    case unknown
}
