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
    /// Events are delivered to `handler` one after another on threads of the transport, and end with
    /// exactly one `didFinish`. Errors are not thrown: a request that cannot be sent also ends
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

/// The caller's handle of a transfer.
///
/// All methods may be called on any thread at any time; they have no effect after the end.
/// Releasing the handle does not stop the transfer.
public protocol HTTPTransfer: AnyObject, Sendable {
    /// Stops the transfer.
    ///
    /// After this returns, no response, redirect, challenge or chunk is reported, except one whose
    /// delivery has already begun. `didFinish` follows with ``TransferError/cancelled``, unless the
    /// end was already being reported.
    func cancel()

    /// Stops reading: no chunk is delivered until ``resume()``, and the sender is slowed down.
    ///
    /// Paused time does not count as idle.
    func pause()

    /// Continues reading after ``pause()``.
    func resume()

    /// Changes the priority of a transfer that waits for a connection.
    ///
    /// - Parameter priority: 0 (last) … 1 (first).
    func setPriority(_ priority: Float)
}

/// Receives the events of one transfer.
///
/// Order of events: any number of redirects, challenges and trust questions, then at most one
/// response, then chunks, and exactly one `didFinish` at the end. Events are delivered on
/// threads of the transport that serve all transfers, so move expensive work elsewhere.
///
/// Redirect, challenge, trust and response are questions. Reply through `reply`, immediately or
/// later and on any thread. Until then the transfer pauses, and the time does not count as idle.
/// Only the first call of `reply` has an effect.
public protocol HTTPTransferHandler: AnyObject, Sendable {
    /// Asks which request to send for a redirect.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - response: The response with status 301, 302, 303, 307 or 308.
    ///   - request: The proposed request. Method and body are adapted to the status; credentials
    ///     are removed if the origin changes.
    ///   - reply: Takes the request to send, or `nil` to use the redirect itself as the final
    ///     response.
    func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    )

    /// Asks for a user name and password.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - challenge: The challenge of the server.
    ///   - reply: Takes the credential, or `nil` to use the 401 itself as the final response.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    )

    /// Asks whether to trust a server, before anything is sent to it.
    ///
    /// Called for the downloads of an ``ImageDownloader`` with an
    /// ``ImageDownloader/authenticationChallengeResponder``, but not for every connection: a
    /// decision about a certificate is kept while the responder is set and the transport exists.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - trust: The server's certificates and their validity.
    ///   - reply: Takes the decision.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    )

    /// Reports the head of the response, and asks whether to deliver its body.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - response: The head of the final response.
    ///   - reply: Takes the decision.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    )

    /// Delivers the next piece of the body.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - chunk: The bytes after the content coding is decoded; valid only during the call.
    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan)

    /// Reports the end of the transfer.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - error: `nil` if the whole body was delivered.
    ///   - metrics: The metrics of the transfer.
    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    )
}

extension HTTPTransferHandler {
    /// Follows every redirect that the settings allow.
    ///
    /// See ``transfer(_:willRedirect:to:reply:)-(_,TransferResponse,_,_)``.
    public func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        reply(request)
    }

    /// Provides no credential.
    ///
    /// See ``transfer(_:didReceive:reply:)-(_,TransferChallenge,_)``.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        reply(nil)
    }

    /// Leaves the decision to the transport.
    ///
    /// See ``transfer(_:didReceive:reply:)-(_,ServerTrust,_)``.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        reply(.performDefaultHandling)
    }

    /// Accepts the body of every response.
    ///
    /// See ``transfer(_:didReceive:reply:)-(_,TransferResponse,_)``.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        reply(.allow)
    }
}
