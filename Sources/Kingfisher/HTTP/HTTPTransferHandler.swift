import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Receives the events of one transfer.
///
/// Order of events: any number of redirects, challenges and trust questions, then at most one
/// response, then chunks, and exactly one `didFinish` at the end. Events are delivered on the
/// transport's thread, which serves all transfers, so move expensive work elsewhere.
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
    ///   - chunk: The decoded bytes (gzip, deflate, br); valid only during the call.
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
