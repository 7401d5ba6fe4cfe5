/// What became of the items of an ``ImagePrefetcher``, each list in order of completion.
public struct PrefetchResult: Sendable {
    /// The images that were cached already.
    public private(set) var skipped: [Source] = []

    /// The images that could not be loaded, or were not because the prefetcher was stopped.
    public private(set) var failed: [Source] = []

    /// The images that were loaded into the cache.
    public private(set) var completed: [Source] = []

    /// The outcome of one source.
    enum Outcome: Sendable {
        /// The image was already cached.
        case skipped
        case failed
        case completed
    }

    mutating func append(_ source: Source, _ outcome: Outcome) {
        switch outcome {
        case .skipped: skipped.append(source)
        case .failed: failed.append(source)
        case .completed: completed.append(source)
        }
    }

    /// The lists after all items; those of a prefetcher that was never started have failed.
    func failing(rest sources: [Source]) -> PrefetchResult {
        var result = self
        let ended = skipped.count + failed.count + completed.count
        result.failed += sources[min(ended, sources.count)...]
        return result
    }
}
