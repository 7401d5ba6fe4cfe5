import Foundation
import Kingfisher
import NIOCore
import NIOFoundationCompat

/// Makes results: loads the source, waits for a worker, draws and encodes.
struct ResultMaker: Sendable {
    let sources: SourceLoader
    private let renderer: ImageRenderer
    private let settings: RendererSettings
    private let admission: Admission
    private let queue: WorkQueue
    private let metrics: ServiceMetrics
    private let passesCacheControl: Bool
    private let skippedFormats: Set<OutputFormat>
    private let watermarkURL: URL?

    /// Makes a maker; the workers start with the first images.
    ///
    /// - Throws: ``ConfigurationError`` if the watermark cannot be read or this
    ///   program can start no workers.
    init(
        _ configuration: ServiceConfiguration,
        manager: KingfisherManager,
        metrics: ServiceMetrics,
        transport: any HTTPTransport
    ) throws(ConfigurationError) {
        sources = try SourceLoader(
            configuration,
            metrics: metrics,
            manager: manager,
            transport: transport
        )
        self.metrics = metrics
        let operation = configuration.operation
        queue = WorkQueue(width: operation.workers, laneWidth: operation.laneWidth)
        admission = Admission(operation.admissionLimits)
        passesCacheControl = configuration.responses.passesCacheControl
        skippedFormats = Set(configuration.negotiation.skippedFormats)
        watermarkURL = configuration.processing.watermarkURL
        let watermark = try configuration.watermark()
        if operation.isolates { try Self.requireWorkers(configuration) }
        settings = configuration.rendererSettings(watermark: watermark)
        renderer = ImageRenderer(settings: settings)
        metrics.registry.addReading(
            "kf_queue_length",
            type: "gauge",
            help: "Requests that load their source or wait for a worker."
        ) { [admission, queue] in [([], Double(max(0, admission.count - queue.running)))] }
        metrics.registry.addReading(
            "kf_running",
            type: "gauge",
            help: "Images that are processed now."
        ) { [queue] in [([], Double(queue.running))] }
    }

    private static func requireWorkers(
        _ configuration: ServiceConfiguration
    ) throws(ConfigurationError) {
        let operation = configuration.operation
        ProcessIsolation.settings.workerCount = operation.workers + operation.laneWidth
        ProcessIsolation.settings.timeLimit = configuration.connections.timeout
        do throws(IsolationFailure) {
            try ProcessIsolation.requireWorkers()
        } catch {
            throw ConfigurationError(
                name: "KF_ISOLATE",
                expected: "0, or a system on which worker processes can start (\(error))",
                found: "1"
            )
        }
    }

    /// Makes the result of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - headers: Fields of the request for the source.
    ///   - client: The address of the client, if known.
    /// - Returns: The result.
    /// - Throws: ``ServiceError``; `Admission.Full` and `Displaced`; `CancellationError`.
    func make(
        _ request: NegotiatedRequest,
        _ headers: SourceHeaders,
        for client: String?
    ) async throws -> MadeResult {
        let mark = watermarkSource(of: request.request.options)
        let server = request.request.server
        return try await admission.admitted(server, sources: mark == nil ? 1 : 2) { loading in
            let start = ContinuousClock.now
            let (source, isCached) = try await sources.file(request.request.source, headers)
            let loaded = ContinuousClock.now
            if isCached { metrics.hit(.source) } else { metrics.took(.download, loaded - start) }
            let watermark = try await watermark(mark, headers.loop)
            loading.loaded(source.data.count, watermark?.data.count ?? 0)
            var made = try await drawn(request, source, watermark, client)
            made.layer = isCached ? .source : .none
            if !isCached { made.times[.download] = loaded - start }
            // The rest of the file may come yet.
            if made.result.facts.isTruncated == true {
                await sources.remove(request.request.source, fields: headers.passed)
            }
            return made
        }
    }

    /// Makes the result of a request from a file in place of its source.
    func make(
        _ request: NegotiatedRequest,
        of source: SourceFile,
        _ loop: String?,
        for client: String?
    ) async throws -> MadeResult {
        let mark = watermarkSource(of: request.request.options)
        return try await admission.admitted("", sources: mark == nil ? 1 : 2) { loading in
            let watermark = try await watermark(mark, loop)
            loading.loaded(source.data.count, watermark?.data.count ?? 0)
            return try await drawn(request, source, watermark, client)
        }
    }

    /// Waits for a worker, and draws.
    private func drawn(
        _ request: NegotiatedRequest,
        _ source: SourceFile,
        _ watermark: SourceFile?,
        _ client: String?
    ) async throws -> MadeResult {
        let start = ContinuousClock.now
        let isSmall = watermark == nil && WorkSize.isSmall(request, source.data)
        let group = client.map(ClientGroup.name(of:)) ?? ""
        return try await queue.run(for: group, isSmall: isSmall) {
            let begun = ContinuousClock.now
            metrics.took(.queue, begun - start)
            let result = try await draw(request, source, watermark)
            let time = begun.duration(to: .now)
            metrics.took(.processing, time)
            var made = MadeResult(
                result: result,
                layer: .none,
                times: [.queue: begun - start, .processing: time]
            )
            made.lifetime = result.facts.lifetime
            return made
        }
    }

    private func draw(
        _ request: NegotiatedRequest,
        _ source: SourceFile,
        _ watermark: SourceFile?
    ) async throws(ServiceError) -> StoredResult {
        if request.request.kind == .info { return try await inform(request, source) }
        var options = request.request.options
        options.skipProcessing.formUnion(skippedFormats)
        let frames = settings.limits(options).animationFrames
        var (image, count, index) = (RenderedImage?.none, 1, 0)
        repeat {
            let next = try await renderer.render(
                source.data,
                options: options,
                watermark: watermark?.data,
                drawing: request.drawing
            ) { facts, size throws(ServiceError) in
                let own = OutputFormat(facts.format)
                let isAnimated = min(facts.frameCount, frames) > 1
                let candidates = request.candidates(
                    for: own,
                    hasTransparency: facts.hasAlpha,
                    isAnimated: isAnimated,
                    size: size
                )
                count = candidates.count
                if candidates.indices.contains(index) { return candidates[index] }
                let outcome = request.outcome(
                    for: own,
                    hasTransparency: facts.hasAlpha,
                    isAnimated: isAnimated,
                    size: size
                )
                switch outcome {
                case .encode(let format): return format
                case .passThrough: return own ?? facts.ownFormat
                }
            }
            if next.data.count < image?.data.count ?? .max { image = next }
            index += 1
        } while index < count
        guard let image else { throw ServiceError(500, "There is no result", "Try again") }
        var facts = facts(
            source,
            contentType: image.format.contentType,
            fileExtension: image.format == .SVG
                ? "svg" : OutputFormat(image.format)?.rawValue ?? "bin",
            size: (image.width, image.height),
            dpr: image.dpr
        )
        if let watermark {
            if lifetime(of: watermark) ?? .infinity < facts.lifetime ?? .infinity {
                setLifetime(&facts, watermark)
            }
            facts.lastModified = Self.later(facts.lastModified, watermark.lastModified)
        }
        if image.isTruncated { (facts.isTruncated, facts.lifetime) = (true, 0) }
        return result(ByteBuffer(data: image.data), facts)
    }

    private func inform(
        _ request: NegotiatedRequest,
        _ source: SourceFile
    ) async throws(ServiceError) -> StoredResult {
        let information = try await renderer.information(
            of: source.data,
            options: request.request.options
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(information) else {
            throw ServiceError(
                500,
                "The information cannot be encoded",
                "Look into the service's log"
            )
        }
        return result(
            ByteBuffer(data: data),
            facts(
                source,
                contentType: "application/json",
                fileExtension: "json",
                size: nil,
                dpr: nil
            )
        )
    }

    private func result(_ body: ByteBuffer, _ facts: StoredResult.Facts) -> StoredResult {
        var facts = facts
        facts.entityTag = CacheKeys.validator(of: body)
        return StoredResult(facts: facts, body: body)
    }

    private func facts(
        _ source: SourceFile,
        contentType: String,
        fileExtension: String,
        size: (width: Int, height: Int)?,
        dpr: Double?
    ) -> StoredResult.Facts {
        var facts = StoredResult.Facts(
            contentType: contentType,
            fileExtension: fileExtension,
            width: size?.width,
            height: size?.height,
            dpr: dpr,
            entityTag: "",
            lastModified: source.lastModified.flatMap { $0.isHeaderValue ? $0 : nil },
            passedFields: Dictionary(source.passedFields.map { ($0.name, $0.value) }) { $1 },
            sourceSize: source.data.count,
            created: Int(Date().timeIntervalSince1970)
        )
        setLifetime(&facts, source)
        return facts
    }

    /// The later of two dates; nil if one is not known, because then it may be any.
    private static func later(_ one: String?, _ other: String?) -> String? {
        guard let one, let other, let first = HTTPTime.seconds(one),
            let second = HTTPTime.seconds(other)
        else { return nil }
        return first < second ? other : one
    }

    /// Sets the lifetime of a result to that of a file that it is made of.
    private func setLifetime(_ facts: inout StoredResult.Facts, _ file: SourceFile) {
        facts.cacheControl = file.cacheControl.flatMap { $0.isHeaderValue ? $0 : nil }
        facts.expires = file.expires.flatMap { $0.isHeaderValue ? $0 : nil }
        facts.sourceAge = file.age
        facts.lifetime = lifetime(of: file)
    }

    /// The source of the request's watermark; nil if it has none, or the configured one.
    func watermarkSource(of options: ProcessingOptions) -> ImageReference? {
        guard let mark = options.watermark, mark.opacity > 0, options.watermarkText == nil else {
            return nil
        }
        return options.watermarkSource ?? watermarkURL.map { .web($0) }
    }

    private func watermark(
        _ source: ImageReference?,
        _ loop: String?
    ) async throws -> SourceFile? {
        guard let source else { return nil }
        return try await sources.file(source, SourceHeaders(loop: loop)).file
    }

    /// How many seconds the result of a source may be kept; nil for the configured time.
    private func lifetime(of source: SourceFile) -> TimeInterval? {
        if source.forbidsStoring { return 0 }
        guard passesCacheControl else { return nil }
        let directives = source.directives
        if directives.contains("no-cache") { return 0 }
        for name in ["s-maxage=", "max-age="] {
            let value = directives.first { $0.hasPrefix(name) }?.dropFirst(name.count)
                .trimmingCharacters(in: ["\""])
            // A number that is too large is as good as the configured time. The difference of two
            // numbers of a server may be too large for an integer as well.
            if let value {
                return Int(value).map { max(0, TimeInterval($0) - TimeInterval(source.age)) }
            }
        }
        guard let expires = source.expires else { return nil }
        // A malformed time has passed (RFC 9111, 5.3).
        guard let end = HTTPTime.seconds(expires).map({ TimeInterval($0) }) else { return 0 }
        let made = source.date.flatMap(HTTPTime.seconds).map {
            TimeInterval($0) + TimeInterval(source.age)
        }
        return max(0, end - (made ?? Date().timeIntervalSince1970))
    }
}
