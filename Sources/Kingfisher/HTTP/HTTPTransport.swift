import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What carries HTTP requests out and answers in.
///
/// ``CurlTransport`` is the one that ships; an app can bring its own, and tests bring fakes. A
/// transport knows nothing of images, caches or options: requests and bytes only.
public protocol HTTPTransport: Sendable {
    /// Starts a transfer and returns at once.
    ///
    /// Events reach `handler` one after the other, on the transport's own thread, and end with
    /// exactly one `didFinish`. Nothing is thrown here: a request that cannot be sent ends like
    /// any other transfer, with an error in `didFinish`. The transport keeps `handler` until then.
    ///
    /// - Parameters:
    ///   - request: URL, method, headers and body are used. Its `timeoutInterval` is not:
    ///     ``TransferSettings/idleTimeout`` counts.
    ///   - settings: Limits, time-outs and trust.
    ///   - handler: Is told what arrives, and asked what to do about it.
    /// - Returns: The handle to cancel, pause or re-prioritise with. It may be dropped.
    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer
}
