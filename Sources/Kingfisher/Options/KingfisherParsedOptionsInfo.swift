public import Foundation

/// A list of options, parsed once.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// The cache that is read and written for the final image.
    public var targetCache: ImageCache? = nil
    /// The cache of originals; after parsing the target cache unless given.
    public var originalCache: ImageCache? = nil
    /// The downloader to use instead of the manager's.
    public var downloader: ImageDownloader? = nil
    /// How the image appears in a view.
    public var transition: ImageTransition = .none
    /// The priority of the download, 0 to 1.
    public var downloadPriority: Float = 0.5
    /// Whether no cache is consulted.
    public var forceRefresh = false
    /// Whether a memory hit alone is accepted.
    public var fromMemoryCacheOrRefresh = false
    /// Whether cached images get a transition too.
    public var forceTransition = false
    /// Whether the result is stored in memory alone.
    public var cacheMemoryOnly = false
    /// Whether completion waits for the cache writes.
    public var waitForCache = false
    /// Whether the source is never loaded.
    public var onlyFromCache = false
    /// Whether decoding is asked to leave the caller's thread; it always does.
    public var backgroundDecode = false
    /// Whether all frames of an animation are decoded at once.
    public var preloadAllAnimationData = false
    /// Where the completion is called.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    /// The scale of images that are made from data.
    public var scaleFactor: CGFloat = 1.0
    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)? = nil
    /// Decides about HTTP redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)? = nil
    /// Turns data into the final image.
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    /// Changes the delivered image at the last moment.
    public var imageModifier: (any ImageModifier)? = nil
    /// Turns images into disk bytes and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    /// Whether a view that shows something gets no placeholder.
    public var keepCurrentImageWhileLoading = false
    /// Whether a view's load is cancelled when another one takes its place.
    public var cancelWhenSuperseded = false
    /// Whether the first frame of an animation alone is kept.
    public var onlyLoadFirstFrame = false
    /// Whether the untouched download is kept on disk too.
    public var cacheOriginalImage = false
    /// Absent: leave the view as it is on failure; present with nil: clear it.
    public var onFailureImage: KFCrossPlatformImage?? = .none
    /// Whether the prefetcher reads disk hits into memory.
    public var alsoPrefetchToMemory = false
    /// Whether the disk is read on the calling thread.
    public var loadDiskFileSynchronously = false
    /// Whether the cache is probed away from the calling thread.
    public var asyncCacheTypeCheck = false
    /// Kept for code that sets it, and not read: every cache file is written atomically.
    public var diskStoreWriteOptions: Data.WritingOptions = []
    /// The memory expiration of this image; nil for the storage's own.
    public var memoryCacheExpiration: StorageExpiration? = nil
    /// How reading this image from memory prolongs its life.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// The disk expiration of this image; nil for the storage's own.
    public var diskCacheExpiration: StorageExpiration? = nil
    /// How reading this image from disk prolongs its life.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// Where processors work; nil for the library's own threads.
    public var processingQueue: CallbackQueue? = nil
    /// How to show a progressive JPEG scan by scan; nil to wait for the whole picture.
    public var progressiveJPEG: ImageProgressive? = nil
    /// Sources to try in order after the first one fails.
    public var alternativeSources: [Source]? = nil
    /// What to do about failures.
    public var retryStrategy: (any RetryStrategy)? = nil
    /// The source to use instead when the network is metered.
    public var lowDataModeSource: Source? = nil
    /// A file extension forced onto the name of the file on disk.
    public var forcedExtension: String? = nil

    /// Bounds on the images that processors make.
    public var resultLimits = ResultLimits.default
    /// The kinds of sources that may be read; nil for all, but for files where the downloader has
    /// an address policy.
    public var allowedSources: SourcePolicy? = nil

    /// Whether what the server says about how long its picture is good is heeded.
    public var httpCaching = false

    /// Parses a list from left to right; nil gives the defaults.
    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] { apply(item) }
        if originalCache == nil { originalCache = targetCache }
    }
}

extension KingfisherParsedOptionsInfo {
    var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor,
            duration: 0,
            preloadAll: preloadAllAnimationData,
            onlyFirstFrame: onlyLoadFirstFrame
        )
    }
}
