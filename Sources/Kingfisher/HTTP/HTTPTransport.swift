import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends HTTP requests and receives the responses.
///
/// ``CurlTransport`` is the default. Apps can provide their own transport, and tests use fake ones.
/// A transport handles only requests and bytes, not images, caches or options.
public protocol HTTPTransport: Sendable {
    /// Starts a transfer and returns immediately.
    ///
    /// Events are delivered to `handler` one after another on the transport's own thread, and end
    /// with exactly one `didFinish`. Errors are not thrown: a request that cannot be sent also ends
    /// with an error in `didFinish`. The transport retains `handler` until then.
    ///
    /// - Parameters:
    ///   - request: The URL, method, headers and body are used. Its `timeoutInterval` is ignored in
    ///     favour of ``TransferSettings/idleTimeout``.
    ///   - settings: Limits, time-outs and trust.
    ///   - handler: Receives the events and answers the questions.
    /// - Returns: The handle to cancel, pause or prioritise the transfer; it may be released.
    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer
}
