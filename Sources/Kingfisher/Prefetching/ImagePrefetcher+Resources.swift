public import Foundation

extension ImagePrefetcher {
    /// Makes a prefetcher of URLs.
    ///
    /// - Parameters:
    ///   - urls: The images to load; file URLs are loaded, but not reported.
    ///   - options: Override the manager's default options.
    ///   - manager: Provides the caches, the downloader and default options.
    ///   - completionHandler: Called once at the end. A trailing closure is this parameter.
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        manager: KingfisherManager = .shared,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls.map { $0 },
            options: options,
            manager: manager,
            completionHandler: completionHandler
        )
    }

    /// Makes a prefetcher of URLs that reports each item.
    ///
    /// See ``init(sources:options:progressBlock:completionHandler:)``.
    @_disfavoredOverload
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls.map { $0 },
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Makes a prefetcher of resources.
    ///
    /// - Parameters:
    ///   - resources: The images to load; those with a file URL are loaded, but not reported.
    ///   - options: Override the manager's default options.
    ///   - manager: Provides the caches, the downloader and default options.
    ///   - completionHandler: Called once at the end. A trailing closure is this parameter.
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        manager: KingfisherManager = .shared,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            sources: resources.map { $0.convertToSource() },
            options: options,
            manager: manager,
            progress: nil,
            completion: completionHandler.map(Self.networkOnly)
        )
    }

    /// Makes a prefetcher of resources that reports each item.
    ///
    /// See ``init(sources:options:progressBlock:completionHandler:)``.
    @_disfavoredOverload
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            sources: resources.map { $0.convertToSource() },
            options: options,
            progressBlock: progressBlock.map(Self.networkOnly),
            completionHandler: completionHandler.map(Self.networkOnly)
        )
    }

    /// Makes a prefetcher of sources.
    ///
    /// - Parameters:
    ///   - sources: The images to load.
    ///   - options: Override the manager's default options.
    ///   - manager: Provides the caches, the downloader and default options.
    ///   - completionHandler: Called once at the end. A trailing closure is this parameter.
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        manager: KingfisherManager = .shared,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            sources: sources,
            options: options,
            manager: manager,
            progress: nil,
            completion: completionHandler
        )
    }

    // Disfavoured, because the first of two closures of one type would take a trailing closure.
    /// Makes a prefetcher of sources that reports each item.
    ///
    /// - Parameters:
    ///   - sources: The images to load.
    ///   - options: Override the shared manager's default options.
    ///   - progressBlock: Called after each item. Name it: a single trailing closure is the
    ///     completion handler.
    ///   - completionHandler: Called once at the end.
    @_disfavoredOverload
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherSourceProgressBlock? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            sources: sources,
            options: options,
            manager: .shared,
            progress: progressBlock,
            completion: completionHandler
        )
    }

    private static func networkOnly(
        _ block: @escaping PrefetcherProgressBlock
    ) -> PrefetcherSourceProgressBlock {
        { skipped, failed, completed in
            block(
                skipped.compactMap(\.asResource),
                failed.compactMap(\.asResource),
                completed.compactMap(\.asResource)
            )
        }
    }
}
