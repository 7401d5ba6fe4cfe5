extension ImagePipeline {
    /// Applies the rules of HTTP to what the caches gave, if they gave anything.
    func load(
        _ hit: RetrieveImageResult?,
        by caching: HTTPCachingStage,
        _ events: LoadEvents,
        _ task: DownloadTask,
        _ journal: inout LoadJournal
    ) async throws -> RetrieveImageResult {
        switch try await caching.step(for: hit) {
        case .deliver(let result):
            return result
        case .deliverAndRefresh(let result, let request):
            refreshBehind(result, request, caching)
            return result
        case .fetch(let request):
            do {
                return try await loadAnew(request, events, task, &journal, caching, hit)
            } catch {
                return try await caching.recover(hit, from: error)
            }
        }
    }

    /// Asks whether what was delivered is still good, in a load of its own that nobody waits for.
    private func refreshBehind(
        _ hit: RetrieveImageResult,
        _ request: LoadRequest,
        _ caching: HTTPCachingStage
    ) {
        guard caching.beginRefresh(hit) else { return }
        Task {
            var journal = LoadJournal(request, observers: observers)
            let task = DownloadTask()
            do {
                let result = try await loadAnew(
                    request,
                    LoadEvents(),
                    task,
                    &journal,
                    caching,
                    hit
                )
                _ = journal.finish(.success(result))
            } catch {
                // The stale picture stays until its time is over; the next load asks again.
                let error = KingfisherError(loading: error, of: request.source, task: task)
                _ = journal.finish(.failure(error))
            }
            caching.endRefresh()
        }
    }
}
