import CoreMetrics
import Dispatch
import Foundation
import HTTPTypes
public import Hummingbird
public import Kingfisher
public import Logging
public import NIOCore

/// The image service: answers requests whose URLs name a source and options for the result.
///
/// Run ``services(onServerRunning:)``, or mount the service into an application of your own:
///
/// ```swift
/// let service = try ImageService(configuration: configuration, logger: logger)
/// let router = Router()
/// service.addRoutes(to: router)
/// ```
///
/// The first line of the program's `main` has to be `ProcessIsolation.runWorkerIfAsked()` unless
/// `KF_ISOLATE` is off.
public final class ImageService: Sendable {
    /// The configuration.
    public let configuration: ServiceConfiguration
    /// The metrics of the service; bootstrap the metrics system with it to add those of others.
    public let registry: PrometheusRegistry

    let metrics: ServiceMetrics
    let connections: ClientConnections
    let logger: Logger
    private let head: ResponseHead
    private let images: ImageHandler
    private let playground: Playground?
    private let uploads: Uploads?
    /// Reports failures; nil if the configuration names no server for them.
    let reporter: ErrorReporter?
    private let readiness = Readiness()
    private let spans: RequestSpans?
    /// Sends traces and metrics; nil if the configuration has no collector.
    let exporter: OTLPExporter?

    /// Makes a service; its workers start with the first images.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - logger: Gets a line for each request.
    ///   - transport: Loads sources from the web; nil for libcurl.
    ///   - storage: A storage for results that other machines use too; needs `KF_CACHE_PATH`.
    ///   - settings: Time-outs and limits for the storage.
    /// - Throws: ``ConfigurationError`` if a file cannot be read or a folder cannot be used.
    public init(
        configuration: ServiceConfiguration,
        logger: Logger,
        transport: (any HTTPTransport)? = nil,
        sharing storage: (any SharedImageStorage)? = nil,
        settings: SharedStorageSettings = SharedStorageSettings()
    ) throws(ConfigurationError) {
        guard storage != nil || configuration.caches.redisURL == nil else {
            throw ConfigurationError(
                name: "KF_REDIS_URL",
                expected: "none, because this program gives the service no storage",
                found: nil
            )
        }
        if storage != nil || configuration.caches.resultStore != nil {
            try configuration.caches.requireFolderToShare()
        }
        self.configuration = configuration
        self.logger = logger
        registry = PrometheusRegistry(namespace: configuration.operation.metricsNamespace)
        metrics = ServiceMetrics(registry)
        connections = ClientConnections(configuration.connections)
        head = ResponseHead(configuration.responses)
        playground =
            configuration.operation.showsPlayground
            ? Playground(configuration: configuration, grammar: try configuration.grammar()) : nil
        uploads = try Uploads(configuration)
        let transport = transport ?? CurlTransport()
        exporter = OTLPExporter(configuration, transport, registry, logger)
        spans = RequestSpans(exporter?.tracer)
        reporter = try ErrorReporter(configuration, transport, logger)
        images = try ImageHandler(
            configuration,
            head: head,
            connections: connections,
            metrics: metrics,
            logger: logger,
            transport: transport,
            storage: storage.map { ($0, settings) }
        )
        registry.addReading("kf_connections", type: "gauge", help: "Open connections.") {
            [connections] in [([], Double(connections.count))]
        }
    }

    /// Waits until all results so far are on disk.
    public func settle() async { await images.settle() }

    /// Whether `/health` answers with 200.
    var isReady: Bool { readiness.isReady }

    /// Makes `/health` answer with 503 from now on.
    public func stop() { readiness.stop() }

    // MARK: Requests

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is read as it arrived.
    ///   - channel: The connection, if it was made by ``server``; work for it ends when the client
    ///     leaves.
    /// - Returns: The response, also for errors.
    public func respond(to request: Request, channel: (any Channel)?) async -> Response {
        let start = ContinuousClock.now
        var record = RequestRecord(client: client(of: request, channel))
        let identifier = RequestID.accepted(request.headers[.clientRequestID])
        var response: Response
        do throws(ServiceError) {
            response = try await answer(request, channel, &record)
        } catch {
            record.error = error
            response = text(error)
        }
        response.headers[.clientRequestID] = identifier
        if request.method == .head { response = response.createHeadResponse() }
        let time = start.duration(to: .now)
        let status = response.status.code
        metrics.answered(status, bytes: response.body.contentLength ?? 0, in: time)
        log(request, status, identifier, time, record)
        spans?.add(request, status, identifier, time, record)
        report(request, identifier, record)
        return response
    }

    /// The address of the client, also behind trusted proxies; nil if it is not known.
    private func client(of request: Request, _ channel: (any Channel)?) -> String? {
        configuration.connections.trustedProxies.client(
            of: channel?.remoteAddress?.ipAddress,
            request.headers[values: .forwardedFor]
        )
    }

    private func answer(
        _ request: Request,
        _ channel: (any Channel)?,
        _ record: inout RequestRecord
    ) async throws(ServiceError) -> Response {
        guard request.head.authority != nil else {
            throw ServiceError(400, "The request does not have one field Host", "Send exactly one")
        }
        let path = request.head.path ?? "/"
        if let response = try playgroundResponse(request, path) { return response }
        if let response = try await droppedResponse(request, path, channel, &record) {
            return response
        }
        if let response = try await uploadResponse(request, path, channel, &record) {
            return response
        }
        if let response = try operation(request, path) { return response }
        switch request.method {
        case .get, .head:
            try checkSecret(request)
            return try await images.response(to: request, path: path, channel, &record)
        case .options:
            return Response(status: .noContent, headers: allowing(methods.joined(separator: ", ")))
        case .delete:
            try checkAdministrator(request)
            try await images.remove(path: path, request.headers, to: request.head.authority)
            return Response(status: .noContent, headers: head.empty())
        default:
            let names = methods.joined(separator: ", ")
            var response = text(
                ServiceError(405, "The method is not allowed", "Use one of \(names)")
            )
            response.headers[.allow] = names
            return response
        }
    }

    /// The methods for images; DELETE only if there is a token for it.
    private var methods: [String] {
        ["GET", "HEAD", "OPTIONS"] + (configuration.operation.adminToken == nil ? [] : ["DELETE"])
    }

    private func allowing(_ methods: String) -> HTTPFields {
        var fields = head.empty()
        fields[.allow] = methods
        return fields
    }

    /// Answers requests for the playground; nil for all others, and if it is off.
    private func playgroundResponse(
        _ request: Request,
        _ path: String
    ) throws(ServiceError) -> Response? {
        guard let playground,
            let response = playground.response(to: request, path: withoutPrefix(path))
        else { return nil }
        try checkSecret(request)
        return response
    }

    /// Answers a file that the playground's page sends; nil for all other requests.
    private func droppedResponse(
        _ request: Request,
        _ path: String,
        _ channel: (any Channel)?,
        _ record: inout RequestRecord
    ) async throws(ServiceError) -> Response? {
        guard let playground, request.method == .post,
            withoutPrefix(path) == Playground.filePath
        else { return nil }
        try checkSecret(request)
        let options = try playground.options(of: request)
        let client = record.client
        let made = try await playground.files.withFile(of: request) { file throws(ServiceError) in
            try await images.result(of: file, options, request, channel, client)
        }
        record.times = made.times
        return images.response(of: made, record)
    }

    /// Answers a file that a client with the token sends; nil for all other requests.
    private func uploadResponse(
        _ request: Request,
        _ path: String,
        _ channel: (any Channel)?,
        _ record: inout RequestRecord
    ) async throws(ServiceError) -> Response? {
        guard let uploads, request.method == .post,
            let text = Uploads.options(in: withoutPrefix(path))
        else { return nil }
        try Self.check(request, uploads.token)
        let options = try ImageRequest.options(text, with: uploads.grammar)
        let client = record.client
        let made = try await uploads.files.withFile(of: request) { file throws(ServiceError) in
            try await images.result(of: file, options, request, channel, client)
        }
        record.times = made.times
        return images.response(of: made, record)
    }

    /// A path without the configured prefix and without its query.
    private func withoutPrefix(_ path: String) -> Substring {
        let path = path.prefix { $0 != "?" }
        guard let prefix = configuration.urls.pathPrefix, path.hasPrefix(prefix + "/") else {
            return path
        }
        return path.dropFirst(prefix.count)
    }

    /// Answers requests about the service itself; nil for all others.
    private func operation(_ request: Request, _ path: String) throws(ServiceError) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        let full = path.prefix { $0 != "?" }
        let path = withoutPrefix(path)
        switch path {
        // Not below the prefix, which proxies make public.
        case "/metrics" where full == path && configuration.operation.hasPublicMetrics:
            return metricsText()
        case "/favicon.ico": return Response(status: .noContent, headers: head.empty())
        case "/":
            return Response(
                status: .ok,
                headers: head.text(),
                body: .init(byteBuffer: ByteBuffer(string: "Kingfisher image service\n"))
            )
        default: return isHealthPath(path) ? health() : nil
        }
    }

    private func isHealthPath(_ path: some StringProtocol) -> Bool {
        path == "/health" || configuration.operation.healthPath.map { $0 == path } ?? false
    }

    /// Answers a request at the address for administrators, or at that of the metrics.
    func respond(toAdministrator request: Request, isForMetricsOnly: Bool) -> Response {
        let path = (request.head.path ?? "/").prefix { $0 != "?" }
        let isHealth = !isForMetricsOnly && isHealthPath(path)
        let response =
            path == "/metrics" ? metricsText() : isHealth ? health() : Response(status: .notFound)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func health() -> Response {
        Response(
            status: isReady ? .ok : .serviceUnavailable,
            headers: head.text(),
            body: .init(
                byteBuffer: ByteBuffer(
                    string: "\(isReady ? configuration.operation.healthMessage : "stopping")\n"
                )
            )
        )
    }

    /// The metrics for Prometheus.
    private func metricsText() -> Response {
        var fields = head.text()
        fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return Response(
            status: .ok,
            headers: fields,
            body: .init(byteBuffer: ByteBuffer(string: registry.text))
        )
    }

    private func checkSecret(_ request: Request) throws(ServiceError) {
        guard let secret = configuration.responses.secret else { return }
        try Self.check(request, secret)
    }

    private func checkAdministrator(_ request: Request) throws(ServiceError) {
        guard let token = configuration.operation.adminToken else {
            throw ServiceError(
                403,
                "No token for administrators is configured",
                "Set KF_ADMIN_TOKEN"
            )
        }
        try Self.check(request, token)
    }

    private static func check(_ request: Request, _ secret: String) throws(ServiceError) {
        let given = request.headers[.authorization] ?? ""
        guard Digest.areEqual(given, "Bearer \(secret)") else {
            throw ServiceError(
                403,
                "The authorization is missing or wrong",
                "Send Authorization: Bearer"
            )
        }
    }

    // MARK: Errors

    private func text(_ error: ServiceError) -> Response {
        var message = error.message
        if configuration.responses.showsErrors, let detail = error.detail {
            message += " (\(detail))"
        }
        var fields = head.text()
        if [429, 503].contains(error.status) { fields[.retryAfter] = "1" }
        return Response(
            status: .init(code: error.status),
            headers: fields,
            body: .init(byteBuffer: ByteBuffer(string: message.oneLine + "\n"))
        )
    }
}

extension String {
    /// The text on one line, of at most 500 characters.
    fileprivate var oneLine: String {
        let scalars = unicodeScalars.prefix(500).map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
