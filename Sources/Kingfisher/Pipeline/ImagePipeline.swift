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
        let hit = request.targetCache.memoryStorage.store.hit(
            for: request.entry.memoryKey,
            extending: request.options.memoryCacheAccessExtendingExpiration,
            countsMisses: false
        )
        // The storage contains nothing else.
        guard let hit, let image = hit.object as? KFCrossPlatformImage,
            request.isFinal(image, tag: hit.tag)
        else { return nil }
        let loaded = LoadedImage(image: image, cacheType: .memory)
        var result = RetrieveImageResult(loaded, of: request)
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
        var update: TaskUpdate?
        while true {
            do {
                let loaded = try await load(attempt, events, handle, &trace)
                update?.attemptEnded()
                var result = RetrieveImageResult(loaded, of: attempt)
                result.timings = trace.finish(loaded.cacheType)
                return result
            } catch {
                update?.attemptEnded()
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
                update = TaskUpdate(of: handle, to: events)
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
    ) async throws -> LoadedImage {
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
    ) async throws -> LoadedImage {
        try request.checkSource()
        request.begin()
        var caching = request.options.httpCaching ? try await HTTPCachingStage(request, task) : nil
        var request = caching?.request ?? request
        let hit = try await search(&request, sharing, caching, task, &trace)
        caching?.request = request
        if let caching { return try await load(hit, by: caching, events, task, &trace) }
        if let hit { return hit }
        let fetched = try await fetch(request, events, task, &trace)
        return try await finish(fetched, request, StoreStage(request: request), &trace)
    }

    /// Looks for the image in the caches, and for a machine that is making it.
    ///
    /// If there is none, the request gets a lease for which other machines wait, if there are any.
    /// A function of its own, so that its variables take no room while the source is loaded.
    @inline(never)
    private func search(
        _ request: inout LoadRequest,
        _ sharing: Bool,
        _ caching: HTTPCachingStage?,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage? {
        var isSharing = sharing && request.leaseEntry != nil
        if request.looksUp {
            var readError: KingfisherError?
            if let hit = try await lookUp(request, caching, task, &isSharing, &readError, &trace) {
                return hit
            }
            noteMiss(of: request, trace)
            try request.checkWantedAfterMiss()
            if request.options.onlyFromCache {
                task.endLookup()
                throw readError
                    ?? KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
            }
        } else if !request.options.forceRefresh {
            // The caller has found the caches empty.
            noteMiss(of: request, trace)
        }
        if isSharing { try await claim(&request, &trace) }
        return nil
    }

    @inline(never)
    func fetch(
        _ request: LoadRequest,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> Material {
        try await trace.measure(.fetch) { _ in
            try await FetchStage(request: request, events: events, task: task).run()
        }
    }

    /// Makes the image of what was fetched, and stores the image if required.
    @inline(never)
    func finish(
        _ fetched: Material,
        _ request: LoadRequest,
        _ store: StoreStage?,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage {
        let loaded = try await trace.measure(.process) { _ in
            try await fetched.image(for: request)
        }
        if let store { try await trace.measure(.store) { _ in try await store.run(loaded) } }
        return loaded
    }

    /// The image of the first place that has one; nil if there is none.
    ///
    /// A file that cannot be read is a miss, too; `readError` is then the last error.
    @inline(never)
    private func lookUp(
        _ request: LoadRequest,
        _ caching: HTTPCachingStage?,
        _ task: DownloadTask,
        _ isSharing: inout Bool,
        _ readError: inout KingfisherError?,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage? {
        var stage = LookupStage(request, task)
        while let found = try await trace.measure(.lookup, { try await stage.next(&$0) }) {
            do {
                return try await image(of: found, request, caching, &trace)
            } catch let missing as EncodedImage.Missing {
                readError = missing.reason ?? readError
            }
        }
        readError = stage.readError ?? readError
        isSharing = isSharing && stage.isSharing
        return nil
    }

    /// Claims the right to make the image while other machines wait for it; the request holds the
    /// lease if it was granted.
    ///
    /// - Throws: ``AlreadyCached`` if another machine has made the image, `CancellationError`.
    @inline(never)
    private func claim(_ request: inout LoadRequest, _ trace: inout LoadTrace) async throws {
        guard let place = request.leaseEntry else { return }
        let start = ContinuousClock.now
        let claim = try await place.cache.claim(place.entry)
        try request.checkWanted()
        let took = ContinuousClock.now - start
        switch claim {
        case .granted(let lease):
            trace.record(.granted, took)
            request = request.holding(lease)
        case .made:
            trace.record(.madeElsewhere, took)
            throw AlreadyCached()
        case .none:
            trace.record(.notGranted, took)
        }
    }

    /// The image of what a cache has.
    ///
    /// - Throws: ``EncodedImage/Missing`` if it turns out to be damaged; ``KingfisherError``;
    ///   `CancellationError`.
    @inline(never)
    private func image(
        of found: Material,
        _ request: LoadRequest,
        _ caching: HTTPCachingStage?,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage {
        var metadata: EntryMetadata?
        if case .cached(let image, let type, let isOriginal) = found {
            metadata = caching?.metadata(of: image, isOriginal: isOriginal)
            if !isOriginal {
                trace.emit(.hit(type))
                if request.isFinal(image) {
                    return LoadedImage(image: image, cacheType: type, metadata: metadata)
                }
            }
        }
        var loaded = try await trace.measure(.process) { _ in
            try await found.image(for: request)
        }
        loaded.metadata = loaded.metadata ?? metadata
        if found.isOriginal {
            trace.emit(.hit(.none))
            let record = caching?.recordOfOriginal(loaded.metadata)
            try await trace.measure(.store) { [loaded] _ in
                try await StoreStage(request: request, record: record).run(loaded)
            }
        } else if case .entry = found {
            trace.emit(.hit(.disk))
        }
        return loaded
    }

    /// Called once for each image that no cache has, also for those of prefetches and of files.
    ///
    /// - Complexity: O(entries) if the load is observed, to find the reasons.
    @inline(never)
    private func noteMiss(of request: LoadRequest, _ trace: LoadTrace) {
        guard trace.isObserved else { return }
        let explanation = request.explanation
        trace.emit(.miss(.memory, explanation.memory ?? .damaged))
        // The index had the file, but reading it returned no image.
        trace.emit(.miss(.disk, explanation.disk ?? .damaged))
    }
}
