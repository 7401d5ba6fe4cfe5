import Foundation

/// Loads one image into the cache.
struct PrefetchLoader: Sendable {
    /// The priority of prefetching downloads: half of the default priority.
    static let priority: Float = 0.25

    private let manager: KingfisherManager
    private let options: KingfisherParsedOptionsInfo

    /// - Parameters:
    ///   - manager: Provides caches, downloader and default options.
    ///   - options: Override the manager's default options. Callback queues, alternative sources
    ///     and the low-data source are ignored.
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

    /// Loads an image unless it is cached; stops if its task is cancelled.
    func load(_ source: Source) async -> PrefetchResult.Outcome {
        let request = manager.request(source, options)
        if request.looksUp, request.allowsSource, await isCached(request) { return .skipped }
        if Task.isCancelled { return .failed }
        // The image is not cached, so the lookup is skipped; a cached original would only delay the
        // load. A load that must not use the network has nothing else.
        let image = try? await manager.load(
            options.onlyFromCache ? request : request.afterLookup
        )
        return image == nil ? .failed : .completed
    }

    private func isCached(_ request: LoadRequest) async -> Bool {
        if request.target.isInMemory {
            if options.alsoPrefetchToMemory { prepare { request.target.imageInMemory } }
            return true
        }
        guard request.acceptsDisk else { return false }
        let effort: DiskEffort = options.alsoPrefetchToMemory ? .folder : .file
        let isOnDisk = try? await request.target.ask(for: nil, effort: effort).isThere
        // A cancelled question counts as true; a cancelled caller does not continue.
        guard isOnDisk ?? true else { return false }
        guard options.alsoPrefetchToMemory else { return true }
        // The file may have been removed or damaged; the image is then loaded normally.
        let found = try? await request.targetCache.lookUp(key: request.key, options: options)
        guard let image = found?.image else { return false }
        prepare { image }
        return true
    }

    /// Applies the modifier as at the end of a load: it may prepare the image for being shown.
    private func prepare(_ image: () -> KFCrossPlatformImage?) {
        guard let modifier = options.imageModifier, let image = image() else { return }
        _ = modifier.modify(image)
    }
}
