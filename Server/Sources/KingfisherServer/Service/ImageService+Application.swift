import Foundation
public import Hummingbird
import HummingbirdCore
import Logging
public import NIOCore
public import ServiceLifecycle

/// The context of requests in an application of the service.
public struct ImageServiceContext: RequestContext {
    /// The values that Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// The connection of the request.
    public let channel: any Channel

    /// Makes a context.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Answers every request by the service, without a router.
struct ImageServiceResponder: HTTPResponder {
    let service: ImageService

    /// Answers a request.
    func respond(to request: Request, context: ImageServiceContext) async -> Response {
        await service.respond(to: request, channel: context.channel)
    }
}

/// Answers `/metrics`, and perhaps `/health`, on a port of its own.
struct AdministrationResponder: HTTPResponder {
    let service: ImageService
    let isForMetricsOnly: Bool

    /// Answers a request.
    func respond(to request: Request, context: BasicRequestContext) async -> Response {
        service.respond(toAdministrator: request, isForMetricsOnly: isForMetricsOnly)
    }
}

extension ImageService {
    /// The server that notices clients that leave, and closes connections that take too long.
    public var server: HTTPServerBuilder {
        let connections = connections
        return .http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [connections.makeHandler()],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 32 << 10,
                    maxHeaderListSize: 64 << 10,
                    maxHeaderFieldCount: 200
                )
            )
        )
    }

    /// Adds the service to a router, for all paths that no other route has.
    ///
    /// Use ``server`` as the application's server, and ``ImageServiceContext`` as the context of
    /// its requests; otherwise work goes on when its client leaves.
    public func addRoutes(to router: some RouterMethods) {
        let operation = configuration.operation
        let takesFiles = operation.showsPlayground || operation.uploadToken != nil
        let files: [HTTPRequest.Method] = takesFiles ? [.post] : []
        for method in [.get, .head, .options, .delete] + files {
            router.on("**", method: method) { [self] request, context in
                let channel = (context as? ImageServiceContext)?.channel
                return await respond(to: request, channel: channel)
            }
        }
    }

    /// The services to run, in the order for a `ServiceGroup`.
    ///
    /// A group stops them in the reverse order: `/health` turns, then the server finishes its
    /// requests, then the last results are written.
    ///
    /// - Parameter onServerRunning: Called with the listening channel.
    /// - Returns: The services.
    public func services(
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> [any Service] {
        var services: [any Service] = [LastWrites(service: self)]
        if let exporter { services.append(exporter) }
        if let reporter { services.append(reporter) }
        let operation = configuration.operation
        for (address, isForMetricsOnly) in [
            (operation.metricsAddress, true), (operation.adminAddress, false),
        ] {
            guard let address else { continue }
            services.append(administration(address, isForMetricsOnly: isForMetricsOnly))
        }
        return services + [application(onServerRunning: onServerRunning), Notice(service: self)]
    }

    /// An application that serves nothing else, at the configured address.
    private func application(
        onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> Application<ImageServiceResponder> {
        // Those that are beyond the descriptors' share need one for a moment to be refused.
        connections.limit = Descriptors.clients(loads: configuration.operation.maximalLoads)
        let limit = min(configuration.connections.maximalClients, connections.limit + 8)
        var logger = Logger(label: "kf-serve.http")
        logger.logLevel = .error
        return Application(
            responder: ImageServiceResponder(service: self),
            server: server,
            configuration: ApplicationConfiguration(
                address: configuration.connections.address.bindAddress,
                backlog: 1024,
                availableConnectionsDelegate: .maximum(limit, logger: logger)
            ),
            onServerRunning: onServerRunning,
            logger: logger
        )
    }

    /// An application with connections of its own: clients that use up those of the main address do
    /// not make the service look dead.
    private func administration(
        _ address: ListenAddress,
        isForMetricsOnly: Bool
    ) -> Application<AdministrationResponder> {
        var logger = Logger(label: "kf-serve.administration")
        logger.logLevel = .error
        return Application(
            responder: AdministrationResponder(service: self, isForMetricsOnly: isForMetricsOnly),
            server: .http1(configuration: .init(idleTimeout: .seconds(10))),
            configuration: ApplicationConfiguration(
                address: address.bindAddress,
                availableConnectionsDelegate: .maximum(64, logger: logger)
            ),
            onServerRunning: { channel in
                let place = channel.localAddress.map { "\($0)" } ?? "\(address)"
                self.logger.notice("administration", metadata: ["address": "\(place)"])
            },
            logger: logger
        )
    }
}

/// Turns `/health` as soon as the group stops.
private struct Notice: Service {
    let service: ImageService

    func run() async throws {
        // It throws when the group is cancelled, which ends the service as well.
        try? await gracefulShutdown()
        service.stop()
    }
}

/// Waits, at the end, until the last results are on disk.
private struct LastWrites: Service {
    let service: ImageService

    func run() async throws {
        try? await gracefulShutdown()
        await service.settle()
    }
}

extension ListenAddress {
    /// The address in Hummingbird's form.
    var bindAddress: BindAddress {
        switch self {
        case .host(let host, let port): .hostname(host, port: port)
        case .socket(let path): .unixDomainSocket(path: path)
        }
    }
}
