import Foundation

/// Brings one image into the cache.
struct PrefetchLoader: Sendable {
    /// The priority of prefetching downloads: half of what views have unless told otherwise.
    static let priority: Float = 0.25

    private let manager: KingfisherManager
    private let options: KingfisherParsedOptionsInfo

    /// - Parameters:
    ///   - manager: Its caches, downloader and default options are used.
    ///   - options: Over the manager's default options. Queues of callbacks, alternative sources
    ///     and the low-data source have no meaning here.
    init(manager: KingfisherManager, options: KingfisherOptionsInfo?) {
        self.manager = manager
        var parsed = KingfisherParsedOptionsInfo(
            [.downloadPriority(Self.priority)] + manager.resolved(options)
        )
        parsed.callbackQueue = .untouch
        parsed.alternativeSources = nil
        parsed.lowDataModeSource = nil
        self.options = parsed
    }

    /// Loads an image that is not cached; stops when its task is cancelled.
    func load(_ source: Source) async -> PrefetchedSources.Outcome {
        let request = manager.request(source, options)
        if request.looksUp, await isCached(request) { return .skipped }
        if Task.isCancelled { return .failed }
        // It is known not to be cached, and a cached original is no reason to wait for the disk.
        let accepts = request.looksUp && !request.options.httpCaching
        let refreshing = request.refreshing
        switch await manager.load(accepts ? refreshing.acceptingFinished : refreshing) {
        case .success: return .completed
        case .failure: return .failed
        }
    }

    private func isCached(_ request: LoadRequest) async -> Bool {
        let cache = request.targetCache
        let type = cache.imageCachedType(
            forKey: request.key,
            processorIdentifier: request.identifier,
            forcedExtension: options.forcedExtension
        )
        guard type == .disk else { return type.cached }
        guard options.alsoPrefetchToMemory else {
            // A subclass may keep its images elsewhere.
            if cache.isSubclassed { return true }
            return await cache.hasFile(of: request.entry)
        }
        // The file may be gone or damaged by now; then the image is loaded like any other.
        let found = try? await cache.lookUp(key: request.key, options: options)
        return found?.image != nil
    }
}

/// The sources whose turn is over, by how they ended, each list in order of their ends.
struct PrefetchedSources: Sendable {
    /// How the turn of one source ended.
    enum Outcome: Sendable {
        /// It was cached already.
        case skipped
        case failed
        case completed
    }

    private(set) var skipped: [Source] = []
    private(set) var failed: [Source] = []
    private(set) var completed: [Source] = []

    mutating func append(_ source: Source, _ outcome: Outcome) {
        switch outcome {
        case .skipped: skipped.append(source)
        case .failed: failed.append(source)
        case .completed: completed.append(source)
        }
    }
}
