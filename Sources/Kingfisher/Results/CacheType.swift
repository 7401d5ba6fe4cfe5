import Foundation

/// The layer of a cache that has an image.
public enum CacheType: Sendable {
    /// Not cached.
    case none
    /// The memory layer.
    case memory
    /// The disk layer.
    case disk

    /// Whether the image comes from a cache layer.
    public var cached: Bool {
        switch self {
        case .memory, .disk: true
        case .none: false
        }
    }
}

/// Why a layer of a cache does not have an image.
public enum CacheMissReason: Sendable, Hashable {
    /// It was never stored, was removed, or was evicted so long ago that the cache no longer
    /// remembers it.
    case neverStored
    /// It expired; the value is the time since then.
    case expired(Duration)
    /// It was recently evicted to make room for other images.
    case evicted
    /// The source is cached, but only under these processor identifiers.
    case otherProcessor([String])
    /// A file was found, but its bytes were changed or could not be decoded.
    case damaged
    /// The options exclude this layer.
    case notAsked
}

extension CacheMissReason: CustomStringConvertible {
    /// The reason as a clause.
    public var description: String {
        switch self {
        case .neverStored: "not stored"
        case .expired(let ago): "expired \(ago.formattedSeconds) ago"
        case .evicted: "evicted to make room"
        case .otherProcessor([""]): "only stored unprocessed"
        case .otherProcessor(let identifiers):
            "only stored under other processors: "
                + identifiers.map { $0.isEmpty ? "unprocessed" : $0 }.joined(separator: "; ")
        case .damaged: "damaged"
        case .notAsked: "not consulted, because of the options"
        }
    }
}

extension CacheMissReason {
    /// An expiry some seconds ago; at most 3,000 years, and none if it never was valid.
    static func expired(ago seconds: TimeInterval) -> CacheMissReason {
        // `Duration` ends the program for other numbers.
        .expired(.seconds(seconds.isFinite ? min(max(0, seconds), 1e11) : 0))
    }
}

extension Duration {
    fileprivate var formattedSeconds: String {
        formatted(.units(allowed: [.days, .hours, .minutes, .seconds], maximumUnitCount: 2))
    }
}
