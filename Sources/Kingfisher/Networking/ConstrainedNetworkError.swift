public import Foundation

/// The network is metered and the request must not use it.
///
/// A load with a low-data source then uses that source. Thrown if
/// ``ImageDownloader/isNetworkConstrained`` or GIO reports a metered network. A custom transport
/// can also report it, as the reason of ``TransferError/rejected(reason:url:)``.
public struct ConstrainedNetworkError: Error, LocalizedError {
    /// Makes an error.
    public init() {}

    /// The failure, as a sentence.
    public var errorDescription: String? {
        "The network is metered, and the request may not use it."
    }
}
