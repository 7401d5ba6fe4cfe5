public import Foundation

/// A list of options; a later item overrides an earlier item of the same kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension KingfisherOptionsInfo {
    static let empty: KingfisherOptionsInfo = []
}

/// One option of a load.
public enum KingfisherOptionsInfoItem: Sendable {
    /// The cache that is read and written for the final image.
    case targetCache(ImageCache)
    /// The cache of unprocessed originals; defaults to the target cache.
    case originalCache(ImageCache)
    /// The downloader to use instead of the manager's.
    case downloader(ImageDownloader)
    /// How the image appears in a view.
    case transition(ImageTransition)
    /// The priority of the download, 0 to 1.
    case downloadPriority(Float)
    /// When the image will be seen, which may change; overrides the priority.
    case interest(ImageInterest)
    /// Skip the caches and load from the source.
    case forceRefresh
    /// Accept only a memory hit; otherwise load from the source without reading the disk.
    case fromMemoryCacheOrRefresh
    /// Run the transition for cached images too.
    case forceTransition
    /// Store the result only in memory.
    case cacheMemoryOnly
    /// Report completion after the cache writes are finished.
    case waitForCache
    /// Never load from the source; fail with `imageNotExisting` when not cached.
    case onlyFromCache
    /// Decode off the calling thread. This is always the case; the option exists for compatibility.
    case backgroundDecode
    /// The queue on which the completion handler is called.
    case callbackQueue(CallbackQueue)
    /// The scale of images decoded from data.
    case scaleFactor(CGFloat)
    /// Decode all frames of an animation immediately.
    case preloadAllAnimationData
    /// Changes the request before it is sent.
    case requestModifier(any AsyncImageDownloadRequestModifier)
    /// Decides about HTTP redirects.
    case redirectHandler(any ImageDownloadRedirectHandler)
    /// Converts data to the final image; its identifier is part of the cache key.
    case processor(any ImageProcessor)
    /// Converts images to the bytes stored on disk, and back.
    case cacheSerializer(any CacheSerializer)
    /// Changes the image just before it is delivered; the change is not cached.
    case imageModifier(any ImageModifier)
    /// Show no placeholder if the view already shows an image.
    case keepCurrentImageWhileLoading
    /// Views: cancel this load when another load replaces it or when the view is cleared.
    ///
    /// Without this option the download continues and its result is cached, which helps if users
    /// scroll back to the image. Other loads of the same URL are not affected.
    case cancelWhenSuperseded
    /// Keep only the first frame of an animation.
    ///
    /// A file that ends after it is not refused, other than AVIF.
    case onlyLoadFirstFrame
    /// With a processor, also store the unmodified download on disk.
    case cacheOriginalImage
    /// The image to show on failure; nil clears the view.
    case onFailureImage(KFCrossPlatformImage?)
    /// Prefetcher: read disk hits into memory.
    case alsoPrefetchToMemory
    /// Read the disk on the calling thread.
    case loadDiskFileSynchronously
    /// Probe the cache away from the calling thread.
    case asyncCacheTypeCheck
    /// Options for writing the file on disk. Only `.withoutOverwriting` has an effect: a file that
    /// already exists and has not expired is then not replaced. Every cache file is written
    /// atomically.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// The memory expiration of this image.
    case memoryCacheExpiration(StorageExpiration)
    /// How a read from memory extends the expiration of this image.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// The disk expiration of this image.
    case diskCacheExpiration(StorageExpiration)
    /// How a read from disk extends the expiration of this image.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// The queue on which processors run.
    case processingQueue(CallbackQueue)
    /// Display a progressive JPEG scan by scan.
    case progressiveJPEG(ImageProgressive)
    /// Sources to try, in order, if the first one fails.
    case alternativeSources([Source])
    /// How to retry failed loads.
    case retryStrategy(any RetryStrategy)
    /// The source to use instead when the network is metered.
    case lowDataMode(Source?)
    /// Respect the server's HTTP caching headers (RFC 9111, RFC 5861) in addition to the
    /// expirations of the caches; see <doc:NetworkingAndHTTPCaching> and
    /// ``RetrieveImageResult/freshness``.
    ///
    /// A stale image is revalidated with its `ETag` or modification date before use, or in the
    /// background within `stale-while-revalidate`. It is used in place of an error within
    /// `stale-if-error`. An image reached through redirects is fresh as long as all the redirects
    /// are. `no-store` is respected. Responses with status 404 and 410 are remembered for one
    /// minute unless the server specifies another lifetime. Images cached without this option are
    /// loaded again. The request modifier is called before the caches are consulted. The option has
    /// no effect on sources without a URL and on subclassed downloaders.
    case httpCaching
    /// Decode in a separate worker process, so that a fault in a decoder cannot harm this one; see
    /// ``ProcessIsolation``.
    ///
    /// Set it for a single load, or for all loads of a manager through
    /// ``KingfisherManager/defaultOptions``.
    case isolated
    /// Decode still images whose file ends early, as far as it goes.
    ///
    /// The rest is grey, or transparent if the format has transparency. The result is marked by
    /// ``RetrieveImageResult/isTruncated``, and never cached. Without this option such files fail. A
    /// transfer that ends before its stated length fails in any case.
    case acceptsTruncatedFiles
    /// Limits on the size of images made by processors.
    case resultLimits(ResultLimits)
    /// The kinds of sources that may be read; use it for untrusted URLs.
    case allowedSources(SourcePolicy)
    /// Which parts of a URL are left out of its key, unless the source has a key of its own; nil for
    /// none.
    ///
    /// See ``CacheKeyRule``. Set it for all loads of a manager through
    /// ``KingfisherManager/defaultOptions``.
    case cacheKeyRule(CacheKeyRule?)
    /// A file extension to append to the name of the file on disk.
    case forcedCacheFileExtension(String?)
}
