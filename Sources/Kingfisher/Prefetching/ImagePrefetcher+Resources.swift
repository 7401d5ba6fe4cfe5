public import Foundation

extension ImagePrefetcher {
    /// Makes a prefetcher of URLs.
    ///
    /// - Parameters:
    ///   - urls: What to load; a file URL is loaded, but not listed.
    ///   - options: Over the shared manager's default options.
    ///   - progressBlock: Called after each item.
    ///   - completionHandler: Called once at the end.
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

    /// Makes a prefetcher of resources; those with a file URL are loaded, but not listed.
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
