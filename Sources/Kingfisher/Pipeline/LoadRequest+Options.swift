extension LoadRequest {
    /// Resolves what a caller asked of a manager.
    ///
    /// The manager's own parts come first, then its default options, then the call's: a later one
    /// wins.
    init(
        source: Source,
        options: KingfisherParsedOptionsInfo,
        cache: ImageCache,
        downloader: ImageDownloader,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) {
        let target = options.targetCache ?? cache
        let original = options.originalCache ?? target
        let loader = options.downloader ?? downloader
        let key = source.cacheKey
        self.init(
            source: source,
            key: key,
            entry: CacheEntryName(key: key, options: options),
            originalSource: source,
            options: options,
            targetCache: target,
            originalCache: original,
            downloader: loader,
            isStillWanted: isStillWanted
        )
    }
}
