import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Forwards the events of a transfer and retains its transport until the end.
///
/// Releasing a transport cancels its transfers, and the process-wide transport may be replaced
/// while transfers are running.
final class TransferRelay: HTTPTransferHandler {
    private let handler: any HTTPTransferHandler
    private let face: (any HTTPTransfer)?
    private let transport: any HTTPTransport

    /// Makes a relay.
    ///
    /// - Parameters:
    ///   - handler: Receives the events.
    ///   - face: The transfer passed to `handler`; nil for the actual one.
    ///   - transport: Retained as long as the relay, which the transport retains until the end.
    init(
        to handler: any HTTPTransferHandler,
        as face: (any HTTPTransfer)? = nil,
        keeping transport: any HTTPTransport
    ) {
        self.handler = handler
        self.face = face
        self.transport = transport
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        handler.transfer(face ?? transfer, willRedirect: response, to: request, reply: reply)
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        handler.transfer(face ?? transfer, didReceive: challenge, reply: reply)
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        handler.transfer(face ?? transfer, didReceive: trust, reply: reply)
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        handler.transfer(face ?? transfer, didReceive: response, reply: reply)
    }

    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        handler.transfer(face ?? transfer, didReceive: chunk)
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        handler.transfer(face ?? transfer, didFinish: error, metrics: metrics)
    }
}
