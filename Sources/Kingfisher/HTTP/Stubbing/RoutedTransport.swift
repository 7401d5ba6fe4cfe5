import Foundation
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Routes each request to a `URLProtocol` class that accepts it, to the process-wide transport, or
/// to the base transport, in this order.
package final class RoutedTransport: HTTPTransport {
    /// The transport that replaces all others in this process; nil for none.
    package static var processWide: (any HTTPTransport)? {
        get { override.withLock { $0 } }
        set { override.change { $0 = newValue } }
    }

    private static let override = Mutex<(any HTTPTransport)?>(nil)

    private let base: any HTTPTransport
    private let yieldsToProcess: Bool
    private let classes = Mutex<[URLProtocol.Type]>([])

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - base: Sends requests that no class accepts.
    ///   - yieldsToProcess: Whether the process-wide transport, if set, replaces `base`.
    package init(_ base: any HTTPTransport, yieldsToProcess: Bool) {
        self.base = base
        self.yieldsToProcess = yieldsToProcess
    }

    /// The classes that may accept a request, in order of precedence.
    ///
    /// Foundation's own classes, which every configuration contains, are removed.
    package var protocolClasses: [URLProtocol.Type] {
        get { classes.withLock { $0 } }
        set {
            let own = newValue.filter {
                !String(reflecting: $0).hasPrefix("FoundationNetworking._")
            }
            classes.withLock { $0 = own }
        }
    }

    package func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        guard let url = request.url, let type = protocolClass(for: request) else {
            guard yieldsToProcess, let network = Self.processWide else {
                return base.start(request, settings: settings, handler: handler)
            }
            // `base` lives as long as this object; the process-wide transport may be replaced at
            // any time.
            let handler = TransferRelay(to: handler, keeping: network)
            return network.start(request, settings: settings, handler: handler)
        }
        let exchange = ProtocolExchange(
            url: url,
            settings: settings,
            handler: handler,
            routes: self
        )
        exchange.begin(request, by: type)
        return exchange
    }

    /// The first class that accepts a request.
    func protocolClass(for request: URLRequest) -> URLProtocol.Type? {
        protocolClasses.first { $0.canInit(with: request) }
    }

    /// The transport for requests that no class accepts.
    var network: any HTTPTransport {
        yieldsToProcess ? Self.processWide ?? base : base
    }
}

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
