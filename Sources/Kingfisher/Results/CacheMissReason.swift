import Foundation

/// Why a layer of a cache does not have an image.
public enum CacheMissReason: Sendable, Hashable {
    /// It is not stored there: it never was, or was removed, or was evicted so long ago that nobody
    /// knows.
    case neverStored
    /// It expired this long ago.
    case expired(Duration)
    /// It had to leave for others lately.
    case evicted
    /// The source is cached, but under other processors: these identifiers.
    case otherProcessor([String])
    /// The file was there, but its bytes were not those that had been stored, or no picture.
    case damaged
    /// The options do not allow to look there.
    case notAsked
}

extension CacheMissReason: CustomStringConvertible {
    /// The reason as a clause.
    public var description: String {
        switch self {
        case .neverStored: "not stored"
        case .expired(let ago): "expired \(ago.formattedSeconds) ago"
        case .evicted: "evicted to make room"
        case .otherProcessor([""]): "stored unprocessed alone"
        case .otherProcessor(let identifiers):
            "stored under other processors alone: "
                + identifiers.map { $0.isEmpty ? "unprocessed" : $0 }.joined(separator: "; ")
        case .damaged: "damaged"
        case .notAsked: "not asked, by the options"
        }
    }
}

extension Duration {
    fileprivate var formattedSeconds: String {
        formatted(.units(allowed: [.days, .hours, .minutes, .seconds], maximumUnitCount: 2))
    }
}
