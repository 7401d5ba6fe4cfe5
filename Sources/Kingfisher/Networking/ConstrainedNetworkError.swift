public import Foundation

/// The network is metered, and the request may not use it.
///
/// A load with a low-data source then takes that one. Raised when
/// ``ImageDownloader/isNetworkConstrained`` says so, or GIO in its place; a transport of your own
/// can raise it too, as the reason of ``TransferError/rejected(reason:url:)``.
public struct ConstrainedNetworkError: Error, LocalizedError {
    /// Makes an error.
    public init() {}

    /// What happened.
    public var errorDescription: String? {
        "The network is metered, and the request may not use it."
    }
}
