extension ImagePipeline {
    /// Applies the rules of HTTP caching to the cached image, if there is one.
    @inline(never)
    func load(
        _ hit: HTTPCachingStage.Hit?,
        by caching: HTTPCachingStage,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> RetrieveImageResult {
        switch try await caching.step(for: hit) {
        case .deliver(let result):
            return result
        case .deliverAndRefresh(let result, let decision, let request):
            refresh(decision, request, caching)
            return result
        case .fetch(let decision, let request):
            do {
                return try await ask(request, about: decision, caching, events, task, &trace)
            } catch {
                return try caching.recover(decision, from: error, request.conditional)
            }
        }
    }

    /// Sends the request, and again without a condition if the response is about another version.
    @inline(never)
    private func ask(
        _ request: LoadRequest,
        about decision: HTTPCachingStage.Decision?,
        _ caching: HTTPCachingStage,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> RetrieveImageResult {
        var request = request
        var fetched = try await fetch(request, events, task, &trace)
        switch caching.revalidation(fetched, about: decision, request.conditional) {
        case .confirmed(let result): return result
        case .unusable:
            request = caching.unconditional(after: request.conditional)
            fetched = try await fetch(request, events, task, &trace)
        case .new: break
        }
        let (storing, store) = caching.storing(fetched, about: decision, request.conditional)
        return try await finish(fetched, storing, store, &trace).with(.fresh)
    }

    /// Revalidates a delivered image in the background, in a separate load.
    private func refresh(
        _ decision: HTTPCachingStage.Decision,
        _ request: LoadRequest,
        _ caching: HTTPCachingStage
    ) {
        guard caching.beginRefresh(decision) else { return }
        Task {
            var trace = LoadTrace(request, observers: observers)
            let task = DownloadTask()
            do {
                let result = try await ask(
                    request,
                    about: decision,
                    caching,
                    LoadEvents(),
                    task,
                    &trace
                )
                _ = trace.finish(result.cacheType)
            } catch {
                // Unless the image no longer exists, the stale image stays until its window ends,
                // and the next load revalidates again.
                caching.noteFailure(error, request.conditional)
                let error = KingfisherError(loading: error, of: request.source, task: task)
                trace.fail(error)
            }
            caching.endRefresh(decision)
        }
    }
}

extension HTTPCachingStage {
    /// An image found in the caches.
    struct Hit {
        var result: RetrieveImageResult
        /// The metadata of the image, or of the original it was made from.
        let metadata: EntryMetadata?
        /// The image before the image modifier.
        let image: KFCrossPlatformImage

        /// Whether the image was just made from the cached original.
        var isMadeOfOriginal: Bool { result.cacheType == .none }
    }

    /// A hit with its record, and how it may be used.
    ///
    /// A class, because a load keeps it in several places while the server is asked.
    final class Decision: Sendable {
        let hit: Hit
        let metadata: EntryMetadata
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy

        init(
            _ hit: Hit,
            _ metadata: EntryMetadata,
            _ record: HTTPRecord,
            _ policy: HTTPFreshnessPolicy
        ) {
            self.hit = hit
            self.metadata = metadata
            self.record = record
            self.policy = policy
        }
    }
}

extension RetrieveImageResult {
    /// The same image with its freshness.
    func with(_ freshness: HTTPFreshness, metrics: NetworkMetrics? = nil) -> RetrieveImageResult {
        var result = self
        result.metrics = metrics ?? self.metrics
        result.freshness = freshness
        return result
    }
}
