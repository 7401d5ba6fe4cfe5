public import Foundation

// MARK: Caches and loading

extension KFOptionSetter {
    /// Sets the cache of the final image.
    public func targetCache(_ cache: ImageCache) -> Self {
        setting(\.targetCache, to: cache)
    }

    /// Sets the cache of unprocessed originals.
    public func originalCache(_ cache: ImageCache) -> Self {
        setting(\.originalCache, to: cache)
    }

    /// Sets the downloader.
    public func downloader(_ downloader: ImageDownloader) -> Self {
        setting(\.downloader, to: downloader)
    }

    /// Sets the priority of the download, 0 to 1.
    public func downloadPriority(_ priority: Float) -> Self {
        setting(\.downloadPriority, to: priority)
    }

    /// Sets whether no cache is consulted.
    public func forceRefresh(_ enabled: Bool = true) -> Self {
        setting(\.forceRefresh, to: enabled)
    }

    /// Sets whether a memory hit alone is accepted.
    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting(\.fromMemoryCacheOrRefresh, to: enabled)
    }

    /// Sets whether the result is stored in memory alone.
    public func cacheMemoryOnly(_ enabled: Bool = true) -> Self {
        setting(\.cacheMemoryOnly, to: enabled)
    }

    /// Sets whether completion waits for the cache writes.
    public func waitForCache(_ enabled: Bool = true) -> Self {
        setting(\.waitForCache, to: enabled)
    }

    /// Sets whether the source is never loaded.
    public func onlyFromCache(_ enabled: Bool = true) -> Self {
        setting(\.onlyFromCache, to: enabled)
    }

    /// Sets whether a view's load is cancelled when another one takes its place.
    public func cancelWhenSuperseded(_ enabled: Bool = true) -> Self {
        setting(\.cancelWhenSuperseded, to: enabled)
    }

    /// Sets whether decoding leaves the caller's thread; it always does.
    public func backgroundDecode(_ enabled: Bool = true) -> Self {
        setting(\.backgroundDecode, to: enabled)
    }

    /// Sets where completions are called; views use the main queue.
    public func callbackQueue(_ queue: CallbackQueue) -> Self {
        setting(\.callbackQueue, to: queue)
    }

    /// Sets the scale of images that are made from data.
    public func scaleFactor(_ factor: CGFloat) -> Self {
        setting(\.scaleFactor, to: factor)
    }

    /// Sets whether the untouched download is kept on disk too.
    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting(\.cacheOriginalImage, to: enabled)
    }

    /// Sets flags for writing new cache files.
    public func diskStoreWriteOptions(_ writingOptions: Data.WritingOptions) -> Self {
        setting(\.diskStoreWriteOptions, to: writingOptions)
    }

    /// Sets whether the disk is read on the calling thread.
    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting(\.loadDiskFileSynchronously, to: enabled)
    }

    /// Sets whether HTTP's rules of freshness hold too: `Cache-Control`, `ETag`, 304 and the rest.
    public func httpCaching(_ enabled: Bool = true) -> Self {
        setting(\.httpCaching, to: enabled)
    }

    /// Sets whether bytes are decoded in a process of its own; see ``ProcessIsolation``.
    public func isolated(_ enabled: Bool = true) -> Self {
        setting(\.isolated, to: enabled)
    }

    /// Sets bounds on the images that processors make.
    public func resultLimits(_ limits: ResultLimits) -> Self {
        setting(\.resultLimits, to: limits)
    }

    /// Sets the kinds of sources that may be read.
    public func allowedSources(_ policy: SourcePolicy) -> Self {
        setting(\.allowedSources, to: policy)
    }

    /// Sets where processors work; nil for the library's own threads.
    public func processingQueue(_ queue: CallbackQueue?) -> Self {
        setting(\.processingQueue, to: queue)
    }

    /// Sets the memory expiration of this image; nil for the storage's own.
    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.memoryCacheExpiration, to: expiration)
    }

    /// Sets how reading this image from memory prolongs its life.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.memoryCacheAccessExtendingExpiration, to: extending)
    }

    /// Sets the disk expiration of this image; nil for the storage's own.
    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.diskCacheExpiration, to: expiration)
    }

    /// Sets how reading this image from disk prolongs its life.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.diskCacheAccessExtendingExpiration, to: extending)
    }
}

// MARK: Failures

extension KFOptionSetter {
    /// Sets the sources to try in order after the first one fails.
    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting(\.alternativeSources, to: sources)
    }

    /// Sets or clears the retry strategy.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self {
        setting(\.retryStrategy, to: strategy)
    }

    /// Sets the source to use instead when the network is metered.
    public func lowDataModeSource(_ source: Source?) -> Self {
        setting(\.lowDataModeSource, to: source)
    }

    /// Sets the image, or none, to show on failure.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting(\.onFailureImage, to: .some(image))
    }

    /// Sets whether images from a cache get a transition too.
    public func forceTransition(_ enabled: Bool = true) -> Self {
        setting(\.forceTransition, to: enabled)
    }

    /// Sets a strategy that retries response errors, with a pause before each try.
    public func retry(
        maxCount: Int,
        interval: DelayRetryStrategy.Interval = .seconds(3)
    ) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }
}
