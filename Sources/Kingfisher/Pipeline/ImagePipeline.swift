import Foundation

/// Runs the stages of a load: look up, fetch, process, store.
///
/// The stages are not inlined, because a suspended function would reserve memory for everything
/// inlined into it.
struct ImagePipeline: Sendable {
    let observers = LoadObservers()

    /// The result of a load that memory has, without a task, which would be two thirds of the work.
    ///
    /// - Returns: nil if the load has to look further, or is observed. A miss is not counted here.
    func peek(_ request: LoadRequest) -> RetrieveImageResult? {
        let start = ContinuousClock.now
        guard !observers.isActive, request.isPlainLookup else { return nil }
        let target = request.target
        guard target.memoryMissReason == nil, let image = target.imageInMemory,
            request.isFinal(image)
        else { return nil }
        var result = RetrieveImageResult(image, from: .memory, request: request)
        result.timings.lookup = .now - start
        result.timings.total = result.timings.lookup
        return result
    }

    /// Loads an image from the first source that provides it.
    ///
    /// Runs on the calling thread until it first suspends, so that a memory hit is delivered and a
    /// download is started before the caller continues. Stops when its task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The parameters of the load.
    ///   - events: Receives progress and events.
    ///   - task: The task of the first attempt.
    /// - Returns: The image.
    /// - Throws: The error of the last attempt.
    @inline(never)
    func load(
        _ request: LoadRequest,
        events: LoadEvents = LoadEvents(),
        task: DownloadTask
    ) async throws(KingfisherError) -> RetrieveImageResult {
        var trace = LoadTrace(request, observers: observers)
        var failover = Failover(request)
        var attempt = request
        var handle = task
        var announcement: HandleAnnouncement?
        while true {
            do {
                var result = try await load(attempt, events, handle, &trace)
                announcement?.attemptEnded()
                result.timings = trace.finish(result.cacheType)
                return result
            } catch {
                announcement?.attemptEnded()
                let error = KingfisherError(loading: error, of: attempt.source, task: handle)
                switch await failover.next(after: error, of: attempt, by: handle) {
                case .success(let next): attempt = next
                case .failure(let conclusion):
                    trace.fail(conclusion)
                    throw conclusion
                }
                trace.emit(.restarted(attempt.source, because: error))
                handle = DownloadTask(
                    cancellation: task.cancellation,
                    priority: handle.ownPriority
                )
                announcement = HandleAnnouncement(of: handle, to: events)
            }
        }
    }

    /// One attempt with one source, repeated once if another load has stored its image meanwhile.
    @inline(never)
    private func load(
        _ request: LoadRequest,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> RetrieveImageResult {
        do {
            return try await loadOnce(request, sharing: true, events, task, &trace)
        } catch is AlreadyCached {
            let request = request.afterFinish
            return try await loadOnce(request, sharing: false, events, task, &trace)
        }
    }

    /// One pass through the stages; with `sharing` it may wait for another machine.
    @inline(never)
    private func loadOnce(
        _ request: LoadRequest,
        sharing: Bool,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> RetrieveImageResult {
        try request.source.check(against: request.sourcePolicy(for: request.source))
        let caching = request.options.httpCaching ? await HTTPCachingStage(request) : nil
        switch try await search(
            caching?.request ?? request,
            sharing,
            caching,
            task,
            &trace
        ) {
        case .result(let result):
            return result
        case .source(let request, let hit):
            if let caching { return try await load(hit, by: caching, events, task, &trace) }
            let fetched = try await fetch(request, events, task, &trace)
            return try await finish(fetched, request, StoreStage(request: request), &trace)
        }
    }

    /// The place where an image is taken from.
    private enum Search {
        case result(RetrieveImageResult)
        /// The source, unless the rules of HTTP caching allow the cached image.
        case source(LoadRequest, HTTPCachingStage.Hit?)
    }

    /// Looks for the image in the caches, and for a machine that is making it.
    ///
    /// A function of its own, so that its variables take no room while the source is loaded.
    @inline(never)
    private func search(
        _ request: LoadRequest,
        _ sharing: Bool,
        _ caching: HTTPCachingStage?,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> Search {
        var isSharing = sharing && request.leaseEntry != nil
        var hit: HTTPCachingStage.Hit?
        if request.looksUp {
            hit = try await lookUp(request, caching, task, &isSharing, &trace)
            if let hit, caching == nil { return .result(hit.result) }
            if hit == nil {
                emitMisses(of: request, trace)
                try request.checkWantedAfterMiss()
            }
        }
        if request.options.onlyFromCache, request.looksUp {
            guard let hit, let result = caching?.offline(hit) else {
                throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
            }
            return .result(result)
        }
        guard isSharing, hit == nil else { return .source(request, hit) }
        return .source(try await claim(request, &trace), nil)
    }

    @inline(never)
    func fetch(
        _ request: LoadRequest,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> FetchStage.Output {
        try await trace.measure(.fetch) {
            try await FetchStage(request: request, events: events, task: task).run()
        }
    }

    /// Processes the fetched bytes or image, and stores the image if required.
    @inline(never)
    func finish(
        _ fetched: FetchStage.Output,
        _ request: LoadRequest,
        _ store: StoreStage?,
        _ trace: inout LoadTrace
    ) async throws -> RetrieveImageResult {
        let loaded = try await trace.measure(.process) {
            try await ProcessStage(request: request).run(fetched)
        }
        if let store { await trace.measure(.store) { await store.run(loaded) } }
        return RetrieveImageResult(loaded, request: request)
    }

    /// The image of the first place that has one; nil if there is none.
    @inline(never)
    private func lookUp(
        _ request: LoadRequest,
        _ caching: HTTPCachingStage?,
        _ task: DownloadTask,
        _ isSharing: inout Bool,
        _ trace: inout LoadTrace
    ) async throws -> HTTPCachingStage.Hit? {
        var stage = LookupStage(request, task)
        while true {
            let finding = try await trace.measure(.lookup) { try await stage.next() }
            for answer in stage.takeAnswers() { trace.record(answer.answer, answer.duration) }
            guard let finding else {
                isSharing = isSharing && stage.isSharing
                return nil
            }
            if let hit = try await answer(finding, request, caching, &trace) { return hit }
        }
    }

    /// Claims the right to make the image while other machines wait for it.
    ///
    /// - Returns: The request, with a lease if it was granted.
    /// - Throws: ``AlreadyCached`` if another machine has made the image, `CancellationError`.
    @inline(never)
    private func claim(
        _ request: LoadRequest,
        _ trace: inout LoadTrace
    ) async throws -> LoadRequest {
        guard let place = request.leaseEntry else { return request }
        let start = ContinuousClock.now
        let claim = try await place.cache.claim(place.entry)
        try request.checkWanted()
        let took = ContinuousClock.now - start
        switch claim {
        case .granted(let lease):
            trace.record(.granted, took)
            return request.holding(lease)
        case .made:
            trace.record(.madeElsewhere, took)
            throw AlreadyCached()
        case .none:
            trace.record(.notGranted, took)
            return request
        }
    }

    /// The result of a finding; nil if it turns out to be damaged.
    @inline(never)
    private func answer(
        _ finding: LookupStage.Finding,
        _ request: LoadRequest,
        _ caching: HTTPCachingStage?,
        _ trace: inout LoadTrace
    ) async throws -> HTTPCachingStage.Hit? {
        var type = CacheType.disk
        var metadata: EntryMetadata?
        if case .image(let image, let found) = finding.material {
            metadata = caching?.metadata(of: image, isOriginal: finding.isOriginal)
            type = found
            if !finding.isOriginal {
                trace.emit(.hit(type))
                if request.isFinal(image) { return .init(image, from: type, metadata, request) }
            }
        }
        let made = try await trace.measure(.process) {
            try await ProcessStage(request: request).run(finding)
        }
        guard let made else { return nil }
        metadata = made.metadata ?? metadata
        if finding.isOriginal {
            type = .none
            let record = caching?.recordOfOriginal(metadata)
            let loaded = LoadedImage(image: made.image, data: nil, originalIsStored: true)
            trace.emit(.hit(type))
            await trace.measure(.store) {
                await StoreStage(request: request, record: record).run(loaded)
            }
        } else if case .entry = finding.material {
            trace.emit(.hit(type))
        }
        return .init(made.image, from: type, metadata, request)
    }

    private func emitMisses(of request: LoadRequest, _ trace: LoadTrace) {
        guard trace.isObserved else { return }
        let explanation = request.explanation
        trace.emit(.miss(.memory, explanation.memory ?? .damaged))
        // The index had the file, but reading it returned no image.
        trace.emit(.miss(.disk, explanation.disk ?? .damaged))
    }
}

extension HTTPCachingStage.Hit {
    fileprivate init(
        _ image: KFCrossPlatformImage,
        from type: CacheType,
        _ metadata: EntryMetadata?,
        _ request: LoadRequest
    ) {
        self.init(
            result: RetrieveImageResult(image, from: type, request: request),
            metadata: metadata,
            image: image
        )
    }
}

extension RetrieveImageResult {
    /// The result of an image that was not just loaded; its data are the bytes that would be
    /// stored.
    fileprivate init(
        _ image: KFCrossPlatformImage,
        from type: CacheType,
        request: LoadRequest
    ) {
        let delivered = request.options.imageModifier?.modify(image) ?? image
        let serializer = request.options.cacheSerializer
        self.init(
            image: delivered,
            cacheType: type,
            source: request.source,
            originalSource: request.originalSource,
            data: { serializer.data(with: delivered, original: nil) }
        )
    }

    fileprivate init(_ loaded: LoadedImage, request: LoadRequest) {
        let data = loaded.data
        self.init(
            image: request.options.imageModifier?.modify(loaded.image) ?? loaded.image,
            cacheType: .none,
            source: request.source,
            originalSource: request.originalSource,
            data: { data },
            metrics: loaded.metrics
        )
        response = loaded.response
    }
}
