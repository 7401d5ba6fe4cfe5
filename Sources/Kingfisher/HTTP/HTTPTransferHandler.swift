import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Receives the events of one transfer.
///
/// Order: any number of redirects, challenges and questions of trust, then at most one response, chunks, and exactly
/// one `didFinish`, after which nothing comes. Events run on the transport's thread, which serves
/// every transfer: hand heavy work on.
///
/// The four questions (redirect, challenge, trust, response) are answered through `reply`, at once or
/// later and from any thread; the transfer stands still until then, and its idle time does not
/// count. Only the first call of a `reply` matters.
public protocol HTTPTransferHandler: AnyObject, Sendable {
    /// Asks which request to send for a redirect; `nil` takes the redirect itself as the answer.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - response: The 301, 302, 303, 307 or 308.
    ///   - request: What would be sent next: method and body adapted to the status, and
    ///     credentials removed when the origin changes.
    ///   - reply: Takes the request to send, or `nil`.
    func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    )

    /// Asks for name and password; `nil` takes the 401 itself as the answer.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    )

    /// Asks what to do about a server that shows its certificates, before anything is sent to it.
    ///
    /// Asked for the downloads of an ``ImageDownloader`` that has an
    /// ``ImageDownloader/authenticationChallengeResponder``, not for each connection: what was
    /// decided about a certificate holds as long as the responder is set and the transport lives.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    )

    /// Tells that the head of the answer is here, and asks whether its body is wanted.
    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    )

    /// Hands over the next piece of the body, decoded (gzip, deflate, br); valid during the call only.
    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan)

    /// Tells that the transfer has ended; `nil` means that the whole body was delivered.
    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    )
}

extension HTTPTransferHandler {
    /// Follows every redirect that the settings allow.
    public func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        reply(request)
    }

    /// Has no credential for anyone.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        reply(nil)
    }

    /// Leaves it to the transport.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        reply(.performDefaultHandling)
    }

    /// Wants every body, whatever the status.
    public func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        reply(.allow)
    }
}
