public import Foundation

/// A list of options; a later item wins over an earlier one of its kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension KingfisherOptionsInfo {
    static let empty: KingfisherOptionsInfo = []
}

/// One option of a load.
public enum KingfisherOptionsInfoItem: Sendable {
    /// The cache that is read and written for the final image.
    case targetCache(ImageCache)
    /// The cache of unprocessed originals; the target cache unless given.
    case originalCache(ImageCache)
    /// The downloader to use instead of the manager's.
    case downloader(ImageDownloader)
    /// How the image appears in a view.
    case transition(ImageTransition)
    /// The priority of the download, 0 to 1.
    case downloadPriority(Float)
    /// Consult no cache; load from the source again.
    case forceRefresh
    /// Accept a memory hit alone; otherwise load again without looking at the disk.
    case fromMemoryCacheOrRefresh
    /// Run the transition also for an image from a cache.
    case forceTransition
    /// Store the result in memory alone.
    case cacheMemoryOnly
    /// Report completion after the cache writes are finished.
    case waitForCache
    /// Never load from the source; fail with `imageNotExisting` when not cached.
    case onlyFromCache
    /// Decode off the caller's thread; images are always decoded there.
    case backgroundDecode
    /// Where the completion is called.
    case callbackQueue(CallbackQueue)
    /// The scale of images that are made from data.
    case scaleFactor(CGFloat)
    /// Decode every frame of an animation at once.
    case preloadAllAnimationData
    /// Changes the request before it is sent.
    case requestModifier(any AsyncImageDownloadRequestModifier)
    /// Decides about HTTP redirects.
    case redirectHandler(any ImageDownloadRedirectHandler)
    /// Turns data into the final image; its identifier is part of the cache key.
    case processor(any ImageProcessor)
    /// Turns images into disk bytes and back.
    case cacheSerializer(any CacheSerializer)
    /// Changes the delivered image at the last moment; the change is not cached.
    case imageModifier(any ImageModifier)
    /// Show no placeholder while loading if the view shows something already.
    case keepCurrentImageWhileLoading
    /// Views: cancel this load when another one takes its place, or when the place is cleared.
    ///
    /// Without it the download goes on and ends in the cache, which is right where people scroll
    /// back, and a waste where they do not. Others who load the same URL keep their download.
    case cancelWhenSuperseded
    /// Keep the first frame of an animation alone.
    case onlyLoadFirstFrame
    /// With a processor, keep the untouched download on disk too.
    case cacheOriginalImage
    /// The image, or none, to show on failure.
    case onFailureImage(KFCrossPlatformImage?)
    /// Prefetcher: read disk hits into memory.
    case alsoPrefetchToMemory
    /// Read the disk on the calling thread.
    case loadDiskFileSynchronously
    /// Probe the cache away from the calling thread.
    case asyncCacheTypeCheck
    /// Kept for code that gives it, and not read: every cache file is written atomically.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// The memory expiration of this image.
    case memoryCacheExpiration(StorageExpiration)
    /// How reading this image from memory prolongs its life.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// The disk expiration of this image.
    case diskCacheExpiration(StorageExpiration)
    /// How reading this image from disk prolongs its life.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// Where processors work.
    case processingQueue(CallbackQueue)
    /// Show a progressive JPEG scan by scan.
    case progressiveJPEG(ImageProgressive)
    /// Sources to try in order after the first one fails.
    case alternativeSources([Source])
    /// What to do about failures.
    case retryStrategy(any RetryStrategy)
    /// The source to use instead when the network is metered.
    case lowDataMode(Source?)
    /// Follow the HTTP caching headers of the server, besides the expirations of the caches
    /// (RFC 9111, RFC 5861); see <doc:NetworkingAndHTTPCaching> and
    /// ``RetrieveImageResult/freshness``.
    ///
    /// A stale image is asked about with its `ETag` or date before it is used, or in the background
    /// within `stale-while-revalidate`, and stands for an error within `stale-if-error`. An image
    /// behind redirects is fresh while every redirect is. `no-store` is respected; a 404 or 410 is
    /// remembered for a minute, unless the server says otherwise. An image that was cached without
    /// the option is fetched again. A request modifier is asked before the caches. No effect on
    /// sources without a URL and on subclassed downloaders.
    case httpCaching
    /// Decode in a process of its own, so that a fault in a decoder cannot harm this one; see
    /// ``ProcessIsolation``.
    ///
    /// Set it for one load, or for all of a manager in ``KingfisherManager/defaultOptions``.
    case isolated
    /// Bounds on the images that processors make.
    case resultLimits(ResultLimits)
    /// The kinds of sources that may be read, for URLs of strangers.
    case allowedSources(SourcePolicy)
    /// A file extension forced onto the name of the file on disk.
    case forcedCacheFileExtension(String?)
}
