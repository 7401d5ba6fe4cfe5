import Foundation
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Sends each request to the first of these that takes it: a `URLProtocol` class of the session's
/// configuration, the process-wide transport, the transport that it was made with.
package final class RoutedTransport: HTTPTransport {
    /// The transport that stands in for every other in this process; nil for none.
    package static var processWide: (any HTTPTransport)? {
        get { override.withLock { $0 } }
        set { override.withLock { $0 = newValue } }
    }

    private static let override = Mutex<(any HTTPTransport)?>(nil)

    private let base: any HTTPTransport
    private let yieldsToProcess: Bool
    private let classes = Mutex<[URLProtocol.Type]>([])

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - base: Carries out what no class takes.
    ///   - yieldsToProcess: Whether the process-wide transport, if there is one, replaces `base`.
    package init(_ base: any HTTPTransport, yieldsToProcess: Bool) {
        self.base = base
        self.yieldsToProcess = yieldsToProcess
    }

    /// The classes that are asked whether they take a request, the first of them first.
    ///
    /// Foundation's own, which every configuration lists, are left out.
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
            // The base lives as long as this object; this one may be replaced at any moment.
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

    /// The class that takes a request.
    func protocolClass(for request: URLRequest) -> URLProtocol.Type? {
        protocolClasses.first { $0.canInit(with: request) }
    }

    /// The transport for what no class takes.
    var network: any HTTPTransport {
        yieldsToProcess ? Self.processWide ?? base : base
    }
}
