extension ImagePipeline {
    /// Applies the rules of HTTP caching to the cached image, if there is one.
    @inline(never)
    func load(
        _ hit: LoadedImage?,
        by caching: HTTPCachingStage,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage {
        var loaded: LoadedImage
        switch try await caching.step(for: hit, task) {
        case .deliver(let found):
            loaded = found
        case .deliverAndRefresh(let found, let decision, let request):
            refresh(decision, request, caching)
            loaded = found
        case .fetch(let decision, let request):
            do {
                loaded = try await ask(request, about: decision, caching, events, task, &trace)
            } catch {
                loaded = try caching.recover(decision, from: error, request.conditional)
            }
        }
        loaded.key = loaded.key ?? caching.request.key
        return loaded
    }

    /// Sends the request, and again without a condition if the response is about another version, or
    /// if the server may not accept the condition.
    @inline(never)
    private func ask(
        _ request: LoadRequest,
        about decision: HTTPCachingStage.Decision?,
        _ caching: HTTPCachingStage,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ trace: inout LoadTrace
    ) async throws -> LoadedImage {
        var request = request
        var fetched: Material
        do {
            fetched = try await fetch(request, events, task, &trace)
        } catch  where caching.mayRefuseCondition(error, about: decision, request.conditional) {
            request = caching.unconditional(after: request.conditional)
            fetched = try await fetch(request, events, task, &trace)
        }
        switch caching.revalidation(fetched, about: decision, request.conditional) {
        case .confirmed(let loaded): return loaded
        case .unusable:
            request = caching.unconditional(after: request.conditional)
            fetched = try await fetch(request, events, task, &trace)
        case .new: break
        }
        let (storing, store) = caching.storing(fetched, about: decision, request.conditional)
        var loaded = try await finish(fetched, storing, store, &trace).with(.fresh)
        loaded.key = storing.key
        return loaded
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
                let loaded = try await ask(
                    request,
                    about: decision,
                    caching,
                    LoadEvents(),
                    task,
                    &trace
                )
                _ = trace.finish(loaded.cacheType)
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
    /// A hit with its record, and how it may be used.
    ///
    /// A class, because a load keeps it in several places while the server is asked.
    final class Decision: Sendable {
        let hit: LoadedImage
        let metadata: EntryMetadata
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy
        /// The record as it is stored, with the URL of an earlier load.
        let stored: HTTPRecord

        init(
            _ hit: LoadedImage,
            _ metadata: EntryMetadata,
            _ record: HTTPRecord,
            _ policy: HTTPFreshnessPolicy,
            stored: HTTPRecord
        ) {
            self.hit = hit
            self.metadata = metadata
            self.record = record
            self.policy = policy
            self.stored = stored
        }
    }
}
