import Foundation
import HTTPTypes
import Hummingbird
@_spi(Server) import Kingfisher
import Logging
import NIOCore
import NIOFoundationCompat
import Synchronization

/// Answers requests for images: finds, or makes and keeps, the result.
struct ImageHandler: Sendable {
    private let configuration: ServiceConfiguration
    private let head: ResponseHead
    private let connections: ClientConnections
    private let metrics: ServiceMetrics
    private let paths: PathReader
    private let usesAccept: Bool
    private let usesClientHints: Bool
    private let cache: ResultCache
    private let maker: ResultMaker
    private let results = JobTable<String, MadeResult>()
    private let fallback: FallbackImage?

    /// Makes a handler with the caches and workers of the configuration.
    ///
    /// - Throws: ``ConfigurationError``.
    init(
        _ configuration: ServiceConfiguration,
        head: ResponseHead,
        connections: ClientConnections,
        metrics: ServiceMetrics,
        logger: Logger,
        transport: any HTTPTransport,
        storage: (any SharedImageStorage, SharedStorageSettings)?
    ) throws(ConfigurationError) {
        self.configuration = configuration
        self.head = head
        self.connections = connections
        self.metrics = metrics
        let negotiation = configuration.negotiationSettings
        paths = PathReader(try configuration.grammar(), negotiation)
        usesAccept = !negotiation.automatic.isEmpty || !negotiation.enforced.isEmpty
        usesClientHints = negotiation.usesClientHints
        let levels = SharedLevels(configuration, transport, sharing: storage)
        cache = try ResultCache(configuration.caches, sharing: levels)
        let manager = try KingfisherManager.forSources(
            configuration,
            transport: transport,
            sharing: storage
        )
        maker = try ResultMaker(
            configuration,
            manager: manager,
            metrics: metrics,
            transport: transport
        )
        fallback = try FallbackImage(configuration.responses)
        metrics.registry.addReading(
            "kf_result_memory_bytes",
            type: "gauge",
            help: "Bytes of results in memory."
        ) { [cache] in [([], Double(cache.memorySize))] }
        levels.addReadings(to: metrics.registry) { [cache, sources = maker.sources] in
            (cache.sharedStatistics, sources.sharedStatistics)
        }
    }

    // MARK: Answering

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: Its path, as it arrived.
    ///   - channel: Its connection, if known.
    ///   - record: Collects facts about the request.
    /// - Returns: The response.
    /// - Throws: ``ServiceError``.
    func response(
        to request: Request,
        path: String,
        _ channel: (any Channel)?,
        _ record: inout RequestRecord
    ) async throws(ServiceError) -> Response {
        let start = ContinuousClock.now
        let keyed = try paths.request(path, for: headers(request.headers))
        let negotiated = keyed.request
        record.source = negotiated.request.hidesSource ? nil : negotiated.request.source
        if case .widths = negotiated.request.kind {
            let list = try paths.paths(of: negotiated.request)
            return try head.widths(list, expires: negotiated.request.options.expires)
        }
        let fields = maker.sources.headers(
            request.headers,
            to: request.head.authority,
            for: negotiated.request.source
        )
        try ServiceLoop.check(fields.loop)
        let key = CacheKeys.result(keyed.key, fields.passed)
        if let result = cache.inMemory(key) {
            metrics.hit(.memory)
            record.layer = "memory"
            return respond(request, negotiated, result, record)
        }
        do {
            let made = try await made(negotiated, fields, key, channel, record.client)
            record.layer = made.layer.rawValue
            record.times = made.times
            return respond(request, negotiated, made.result, record)
        } catch {
            let error = negotiated.request.hidesSource ? error.withoutDetail : error
            record.error = error
            guard
                let fallback = await fallbackResult(
                    for: negotiated,
                    error,
                    fields.loop,
                    channel,
                    record.client,
                    since: start
                )
            else { throw error }
            return respond(negotiated, error, fallback)
        }
    }

    /// Removes the source, the watermark, the fallback and all results of a path, for all formats
    /// that a client may accept.
    ///
    /// Those of requests with passed fields are removed by a request with the same fields.
    func remove(
        path: String,
        _ fields: HTTPFields,
        to host: String?
    ) async throws(ServiceError) {
        let request = try paths.request(path)
        let passed = maker.sources.headers(fields, to: host, for: request.source).passed
        let variants = paths.variants(of: request)
        let fallback = fallback(of: request.options)
        // Sources first: a request meanwhile must not make the old results again.
        let others = [maker.watermarkSource(of: request.options), fallback?.loadedSource]
        for source in others.compactMap(\.self) {
            await maker.sources.remove(source, fields: [])
        }
        for fields in passed.isEmpty ? [[]] : [[], passed] {
            await maker.sources.remove(request.source, fields: fields)
            await cache.remove(Set(variants.map { CacheKeys.result($0.canonicalKey, fields) }))
        }
        if let fallback { await cache.remove(Set(variants.map { fallback.request(like: $0).key })) }
    }

    /// The result for a file that the client has sent; it is not kept.
    func result(
        of file: Data,
        _ options: ProcessingOptions,
        _ request: Request,
        _ channel: (any Channel)?,
        _ client: String?
    ) async throws(ServiceError) -> MadeResult {
        let negotiated = try paths.negotiated(
            ImageRequest(source: .local(path: "file"), options: options),
            for: headers(request.headers)
        )
        return try await limited(channel) { [maker] in
            let source = SourceFile(data: file, key: "a dropped file")
            return try await maker.make(negotiated, of: source, nil, for: client)
        }
    }

    /// The response with the result for a file that the client has sent.
    func response(of made: MadeResult, _ record: RequestRecord) -> Response {
        var fields = head.result(made.result.facts, vary: [])
        fields[.eTag] = nil
        fields[.cacheControl] = "no-store"
        setDebugFields(&fields, made.result, record)
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: made.result.body))
    }

    /// Waits until all results so far are on disk.
    func settle() async {
        await cache.settle()
        await maker.sources.settle()
    }

    /// The result from the disk, or made now; shared with equal requests.
    private func made(
        _ request: NegotiatedRequest,
        _ fields: SourceHeaders,
        _ key: String,
        _ channel: (any Channel)?,
        _ client: String?
    ) async throws(ServiceError) -> MadeResult {
        try await limited(channel) { [self] in
            try await shared(key, request.request.source) { [maker] in
                try await maker.make(request, fields, for: client)
            }
        }
    }

    /// Finds or makes a result once for all requests with a key.
    ///
    /// The source's refusal of another request is not shared: a signature may be no part of the key,
    /// and decides about it.
    private func shared(
        _ key: String,
        _ source: ImageReference,
        orMake make: @escaping @Sendable () async throws -> MadeResult
    ) async throws -> MadeResult {
        let hasBegun = Mutex(false)
        let mark = cache.mark(key)
        // Requests after a removal share no work that began before it.
        let name = "\(key) \(mark.epoch)"
        let work = { @Sendable [self] in
            hasBegun.withLock { $0 = true }
            return try await find(key, mark, orMake: make)
        }
        do {
            return try await results.value(for: name, work)
        } catch let error as ServiceError
            where error.sourceStatus != nil && !hasBegun.withLock({ $0 })
        {
            return try await results.value(for: "\(name) \(source)", work)
        }
    }

    /// Runs work within a limit, that for a request by default, and cancels it if the client leaves.
    private func limited(
        _ channel: (any Channel)?,
        _ limit: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> MadeResult
    ) async throws(ServiceError) -> MadeResult {
        let limit = limit ?? configuration.connections.timeout
        do {
            return try await connections.run(for: channel) {
                let late = ServiceError(504, "The request took too long", "Try again later")
                return try await withDeadline(limit, or: late, work)
            }
        } catch let error as ServiceError {
            throw error
        } catch is CancellationError {
            throw ServiceError(499, "The client has left", "Wait for the answer")
        } catch is Admission.Full {
            throw ServiceError(429, "Too many requests wait", "Try again in a second")
        } catch is Admission.Displaced {
            throw ServiceError(
                503,
                "Too many requests wait for the source's server",
                "Try again in a second"
            )
        } catch {
            throw ServiceError(
                500,
                "The request failed",
                "Look into the service's log",
                detail: "\(error)"
            )
        }
    }

    /// The result from the disk, or made now and kept.
    private func find(
        _ key: String,
        _ mark: RemovalMark,
        orMake make: @escaping @Sendable () async throws -> MadeResult
    ) async throws -> MadeResult {
        let result = try await cache.result(key, mark, orMake: make)
        if result.layer == .disk {
            metrics.hit(.disk)
            if let time = result.times[.lookup] { metrics.took(.lookup, time) }
        } else {
            metrics.missed(result.lifetime ?? 1 > 0 ? .absent : .uncacheable)
        }
        return result
    }

    // MARK: Responses

    private func respond(
        _ request: Request,
        _ negotiated: NegotiatedRequest,
        _ result: StoredResult,
        _ record: RequestRecord
    ) -> Response {
        var fields = head.result(result.facts, vary: negotiated.vary)
        let expires = negotiated.request.options.expires
        head.setLifetime(&fields, result.facts, expires: expires)
        let responses = configuration.responses
        let isCurrent = EntityTags.isCurrent(
            noneMatch: request.headers[.ifNoneMatch],
            modifiedSince: request.headers[.ifModifiedSince],
            tag: head.entityTag(of: result.facts),
            lastModified: responses.lastModified(result.facts.lastModified)
        )
        if isCurrent {
            fields[.contentType] = nil
            return Response(status: .notModified, headers: fields)
        }
        head.setFileName(&fields, negotiated.request, result.facts)
        head.setCanonicalLink(&fields, negotiated.request)
        // The playground shows them.
        if responses.setsDebugFields || configuration.operation.showsPlayground {
            setDebugFields(&fields, result, record)
        }
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: result.body))
    }

    private func setDebugFields(
        _ fields: inout HTTPFields,
        _ result: StoredResult,
        _ record: RequestRecord
    ) {
        fields[.debugCache] = record.layer
        fields[.debugSourceSize] = "\(result.facts.sourceSize)"
        fields[.debugResultWidth] = result.facts.width.map { "\($0)" }
        fields[.debugResultHeight] = result.facts.height.map { "\($0)" }
        if !record.times.isEmpty { fields[.serverTiming] = record.serverTiming }
    }

    /// The fallback in place of an error of the source; nil if there is none.
    ///
    /// It is kept like other results, so that a source that fails often costs little.
    private func fallbackResult(
        for request: NegotiatedRequest,
        _ error: ServiceError,
        _ loop: String?,
        _ channel: (any Channel)?,
        _ client: String?,
        since start: ContinuousClock.Instant
    ) async -> StoredResult? {
        // A service without room for the request, or without its client, has not seen the source.
        guard ![429, 499, 503].contains(error.status), request.request.kind == .image,
            let fallback = fallback(of: request.request.options)
        else { return nil }
        let (own, key) = fallback.request(like: request)
        if let result = cache.inMemory(key) { return result }
        // The rest of the request's time; a moment after a time-out, since it is usually at hand.
        let limit = configuration.connections.timeout
        let rest = max(limit - start.duration(to: .now), min(limit, .seconds(1)))
        // Without a usable fallback the client gets the error.
        return try? await limited(channel, rest) { [self] in
            try await shared(key, own.request.source) { [maker, fallback] in
                guard let file = fallback.file else {
                    return try await maker.make(own, SourceHeaders(loop: loop), for: client)
                }
                return try await maker.make(own, of: file, loop, for: client)
            }
        }.result
    }

    /// The image in place of a source that cannot be had; nil if there is none.
    private func fallback(of options: ProcessingOptions) -> FallbackImage? {
        options.fallbackSource.map { FallbackImage($0) } ?? fallback
    }

    /// The response with the fallback in place of an error.
    private func respond(
        _ request: NegotiatedRequest,
        _ error: ServiceError,
        _ result: StoredResult
    ) -> Response {
        var fields = head.result(result.facts, vary: request.vary)
        head.setFileName(&fields, request.request, result.facts)
        fields[.eTag] = nil
        fields[.lastModified] = nil
        let responses = configuration.responses
        let seconds = responses.fallbackTimeToLive
        head.setLifetime(
            &fields,
            seconds > 0 ? seconds : responses.timeToLive,
            expires: request.request.options.expires
        )
        let status = responses.fallbackStatus
        return Response(
            status: .init(code: status == 0 ? error.status : status),
            headers: fields,
            body: .init(byteBuffer: result.body)
        )
    }

    /// The fields of a request that decide about its result.
    private func headers(_ fields: HTTPFields) -> NegotiationHeaders {
        var headers = NegotiationHeaders()
        if usesAccept { headers.accept = fields[.accept] }
        guard usesClientHints else { return headers }
        headers.width = fields[.width]
        headers.dpr = fields[.dpr]
        headers.secCHWidth = fields[.secCHWidth]
        headers.secCHDPR = fields[.secCHDPR]
        return headers
    }
}

extension ImageReference {
    /// The source for logs, reports and traces, without the query, which may contain keys.
    var shown: String { String(description.disclosing(.path).prefix(300)) }
}
