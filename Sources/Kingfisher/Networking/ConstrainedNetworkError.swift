public import Foundation

/// The network is metered, and the request may not use it.
///
/// Throw it from a transport of your own, wrapped by the downloader, to make loads with a
/// low-data source use that one.
public struct ConstrainedNetworkError: Error, LocalizedError {
    /// Makes an error.
    public init() {}

    /// What happened.
    public var errorDescription: String? {
        "The network is metered, and the request may not use it."
    }
}
