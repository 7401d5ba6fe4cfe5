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

    /// See ``KingfisherOptionsInfoItem/interest(_:)``.
    public func interest(_ interest: ImageInterest?) -> Self {
        setting(\.interest, to: interest)
    }

    /// Sets whether the caches are skipped.
    public func forceRefresh(_ enabled: Bool = true) -> Self {
        setting(\.forceRefresh, to: enabled)
    }

    /// Sets whether only a memory hit is accepted.
    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting(\.fromMemoryCacheOrRefresh, to: enabled)
    }

    /// Sets whether the result is stored only in memory.
    public func cacheMemoryOnly(_ enabled: Bool = true) -> Self {
        setting(\.cacheMemoryOnly, to: enabled)
    }

    /// Sets whether completion waits for the cache writes.
    public func waitForCache(_ enabled: Bool = true) -> Self {
        setting(\.waitForCache, to: enabled)
    }

    /// Sets whether loading from the source is forbidden.
    public func onlyFromCache(_ enabled: Bool = true) -> Self {
        setting(\.onlyFromCache, to: enabled)
    }

    /// Sets whether a view's load is cancelled when another load replaces it.
    public func cancelWhenSuperseded(_ enabled: Bool = true) -> Self {
        setting(\.cancelWhenSuperseded, to: enabled)
    }

    /// Has no effect, because decoding never runs on the calling thread; exists for compatibility.
    public func backgroundDecode(_ enabled: Bool = true) -> Self {
        setting(\.backgroundDecode, to: enabled)
    }

    /// Sets the queue on which completion handlers are called; views always use the main queue.
    public func callbackQueue(_ queue: CallbackQueue) -> Self {
        setting(\.callbackQueue, to: queue)
    }

    /// Sets the scale of images decoded from data.
    public func scaleFactor(_ factor: CGFloat) -> Self {
        setting(\.scaleFactor, to: factor)
    }

    /// Sets whether the unmodified download is also stored on disk.
    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting(\.cacheOriginalImage, to: enabled)
    }

    /// Sets options for writing the file on disk; only `.withoutOverwriting` has an effect.
    public func diskStoreWriteOptions(_ writingOptions: Data.WritingOptions) -> Self {
        setting(\.diskStoreWriteOptions, to: writingOptions)
    }

    /// Sets whether the disk is read on the calling thread.
    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting(\.loadDiskFileSynchronously, to: enabled)
    }

    /// Sets whether HTTP caching headers are respected; see
    /// ``KingfisherOptionsInfoItem/httpCaching``.
    public func httpCaching(_ enabled: Bool = true) -> Self {
        setting(\.httpCaching, to: enabled)
    }

    /// Sets whether bytes are decoded in a separate worker process; see ``ProcessIsolation``.
    public func isolated(_ enabled: Bool = true) -> Self {
        setting(\.isolated, to: enabled)
    }

    /// Sets whether still images are decoded although their file ends early; see
    /// ``KingfisherOptionsInfoItem/acceptsTruncatedFiles``.
    public func acceptsTruncatedFiles(_ enabled: Bool = true) -> Self {
        setting(\.acceptsTruncatedFiles, to: enabled)
    }

    /// Sets limits on the size of images made by processors.
    public func resultLimits(_ limits: ResultLimits) -> Self {
        setting(\.resultLimits, to: limits)
    }

    /// Sets the kinds of sources that may be read.
    public func allowedSources(_ policy: SourcePolicy) -> Self {
        setting(\.allowedSources, to: policy)
    }

    /// Sets which parts of a URL are left out of its key; nil for none.
    public func cacheKeyRule(_ rule: CacheKeyRule?) -> Self {
        setting(\.cacheKeyRule, to: rule)
    }

    /// Sets the queue on which processors run; nil for the library's own threads.
    public func processingQueue(_ queue: CallbackQueue?) -> Self {
        setting(\.processingQueue, to: queue)
    }

    /// Sets the memory expiration of this image; nil for the default of the memory storage.
    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.memoryCacheExpiration, to: expiration)
    }

    /// Sets how a read from memory extends the expiration of this image.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.memoryCacheAccessExtendingExpiration, to: extending)
    }

    /// Sets the disk expiration of this image; nil for the default of the disk storage.
    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.diskCacheExpiration, to: expiration)
    }

    /// Sets how a read from disk extends the expiration of this image.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.diskCacheAccessExtendingExpiration, to: extending)
    }
}

// MARK: Failures

extension KFOptionSetter {
    /// Sets the sources to try, in order, if the first one fails.
    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting(\.alternativeSources, to: sources)
    }

    /// Sets the retry strategy; nil for no retries.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self {
        setting(\.retryStrategy, to: strategy)
    }

    /// Sets the source to use instead when the network is metered.
    public func lowDataModeSource(_ source: Source?) -> Self {
        setting(\.lowDataModeSource, to: source)
    }

    /// Sets the image to show on failure; nil clears the view.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting(\.onFailureImage, to: .some(image))
    }

    /// Sets whether cached images get a transition too.
    public func forceTransition(_ enabled: Bool = true) -> Self {
        setting(\.forceTransition, to: enabled)
    }

    /// Retries response errors, with a delay before each attempt.
    ///
    /// - Parameters:
    ///   - maxCount: The maximum number of retries.
    ///   - interval: The delay before each retry.
    /// - Returns: The receiver, or its changed copy.
    public func retry(
        maxCount: Int,
        interval: DelayRetryStrategy.Interval = .seconds(3)
    ) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }
}
