import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads sources from web servers, within the limits of the configuration.
struct WebSources: Sendable {
    private let transport: any HTTPTransport
    private let settings: TransferSettings
    private let passedNames: [String]
    private let ignoresCertificates: Bool
    private let userAgent: String

    /// Makes a loader.
    ///
    /// - Parameters:
    ///   - configuration: Limits, addresses and header fields.
    ///   - transport: Sends the requests.
    init(_ configuration: ServiceConfiguration.Sources, transport: any HTTPTransport) {
        self.transport = transport
        settings = Self.settings(configuration)
        passedNames = configuration.responseHeaders
        ignoresCertificates = configuration.ignoresCertificates
        userAgent = configuration.userAgent
    }

    /// The limits on transfers.
    static func settings(_ configuration: ServiceConfiguration.Sources) -> TransferSettings {
        var settings = TransferSettings()
        settings.connectTimeout = configuration.timeout
        settings.idleTimeout = configuration.timeout
        settings.totalTimeout = configuration.timeout
        if let size = configuration.maximalFileSize { settings.maxBodyBytes = size }
        settings.maxRedirects = configuration.maximalRedirects
        settings.maxConnectionsPerHost = 32
        var refused = Set(AddressRange.allCases)
        if configuration.allowsLoopback { refused.remove(.loopback) }
        if configuration.allowsLinkLocal { refused.remove(.linkLocal) }
        if configuration.allowsPrivate { refused.remove(.privateUse) }
        settings.addressPolicy = AddressPolicy(refusing: refused)
        return settings
    }

    /// Loads a source.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - fields: Fields of the request, such as those passed on from the client.
    ///   - key: The name of the bytes; see ``SourceFile/key``.
    /// - Returns: The file.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func file(at url: URL, fields: [HeaderField], key: String) async throws -> SourceFile {
        var request = URLRequest(url: url)
        request.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        var settings = settings
        if ignoresCertificates, let host = url.host?.lowercased() {
            settings.trustedHosts = [host]
        }
        let (response, data) = try await transfer(request, settings)
        return SourceFile(
            data: data,
            key: key,
            entityTag: response.value(for: "ETag"),
            lastModified: response.value(for: "Last-Modified"),
            cacheControl: response.value(for: "Cache-Control"),
            expires: response.value(for: "Expires"),
            contentType: response.value(for: "Content-Type"),
            passedFields: passedNames.compactMap { name in
                response.value(for: name).flatMap {
                    $0.isHeaderValue ? HeaderField(name: name, value: $0) : nil
                }
            }
        )
    }

    private func transfer(
        _ request: URLRequest,
        _ settings: TransferSettings
    ) async throws -> (TransferResponse, Data) {
        let collector = BodyCollector()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.wait(continuation)
                collector.begin(
                    transport.start(request, settings: settings, handler: collector)
                )
            }
        } onCancel: {
            collector.cancel()
        }
    }
}

/// Collects the body of a transfer.
private final class BodyCollector: HTTPTransferHandler {
    private struct State {
        var continuation: CheckedContinuation<(TransferResponse, Data), any Error>?
        var transfer: (any HTTPTransfer)?
        var isCancelled = false
        var response: TransferResponse?
        var data = Data()
    }

    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<(TransferResponse, Data), any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    func begin(_ transfer: any HTTPTransfer) {
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        if let error = ServiceError(sourceStatus: response.statusCode) {
            return reply(.reject(error))
        }
        state.withLock { state in
            state.response = response
            // Content-Length is untrusted, so the reservation is capped.
            state.data.reserveCapacity(min(response.expectedLength ?? 0, 4 << 20))
        }
        reply(.allow)
    }

    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        chunk.withUnsafeBytes { bytes in
            state.withLock { $0.data.append(contentsOf: bytes) }
        }
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        let (continuation, response, data) = state.withLock { state in
            defer { (state.continuation, state.transfer) = (nil, nil) }
            return (state.continuation, state.response, state.data)
        }
        if let error {
            let isCancelled = error.isCancellation
            continuation?.resume(
                throwing: isCancelled ? CancellationError() : ServiceError(error) as any Error
            )
        } else if let response {
            continuation?.resume(returning: (response, data))
        } else {
            continuation?.resume(throwing: ServiceError(502, "The source sent no response"))
        }
    }
}

extension ServiceError {
    /// The error of a source's status; nil for a response with an image.
    init?(sourceStatus status: Int) {
        switch status {
        case 200: return nil
        case 404, 410: self.init(404, "The source was not found", detail: "status \(status)")
        case 500...: self.init(502, "The source failed", detail: "status \(status)")
        default: self.init(404, "The source cannot be loaded", detail: "status \(status)")
        }
    }

    /// The error of a failed transfer.
    init(_ error: TransferError) {
        let detail = error.description
        switch error {
        case .rejected(let reason as ServiceError, _): self = reason
        case .addressRefused:
            self.init(404, "The address of the source is not allowed", detail: detail)
        case .redirectRefused, .tooManyRedirects, .redirectLoop:
            self.init(404, "The redirects of the source are not allowed", detail: detail)
        case .unsupportedScheme, .invalidRequest:
            self.init(404, "The address of the source is not valid", detail: detail)
        case .timedOut: self.init(504, "The source took too long", detail: detail)
        case .bodyTooLarge: self.init(413, "The source is too large", detail: detail)
        case .cannotResolve: self.init(404, "The source was not found", detail: detail)
        case .cannotKeepBody: self.init(503, "The service cannot keep the source", detail: detail)
        default: self.init(502, "The source cannot be loaded", detail: detail)
        }
    }
}
