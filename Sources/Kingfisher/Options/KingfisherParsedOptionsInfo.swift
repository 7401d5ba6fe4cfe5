public import Foundation

/// A list of options, parsed once.
///
/// Copying costs one reference count, because a load passes the options on about a dozen times.
/// Changing a property copies all values.
public struct KingfisherParsedOptionsInfo: Sendable {
    private final class Storage: Sendable {
        static let defaults = Storage(ParsedValues())
        let values: ParsedValues

        init(_ values: ParsedValues) { self.values = values }
    }

    private var storage: Storage

    /// Parses a list from left to right; nil gives the defaults.
    public init(_ info: KingfisherOptionsInfo?) {
        guard let info, !info.isEmpty else {
            storage = .defaults
            return
        }
        var values = ParsedValues()
        for item in info { values.apply(item) }
        if values.originalCache == nil { values.originalCache = values.targetCache }
        storage = Storage(values)
    }

    private var values: ParsedValues {
        get { storage.values }
        set { storage = Storage(newValue) }
    }
}

/// The values of the options; see ``KingfisherParsedOptionsInfo``.
struct ParsedValues: Sendable {
    var targetCache: ImageCache? = nil
    var originalCache: ImageCache? = nil
    var downloader: ImageDownloader? = nil
    var transition: ImageTransition = .none
    var downloadPriority: Float = 0.5
    var interest: ImageInterest? = nil
    var forceRefresh: Bool = false
    var fromMemoryCacheOrRefresh: Bool = false
    var forceTransition: Bool = false
    var cacheMemoryOnly: Bool = false
    var waitForCache: Bool = false
    var onlyFromCache: Bool = false
    var backgroundDecode: Bool = false
    var preloadAllAnimationData: Bool = false
    var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    var scaleFactor: CGFloat = 1.0 {
        // As part of a key, a value that is not a number would never be found again.
        didSet { if !(scaleFactor > 0 && scaleFactor.isFinite) { scaleFactor = 1 } }
    }
    var requestModifier: (any AsyncImageDownloadRequestModifier)? = nil
    var redirectHandler: (any ImageDownloadRedirectHandler)? = nil
    var processor: any ImageProcessor = DefaultImageProcessor.default
    var imageModifier: (any ImageModifier)? = nil
    var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    var keepCurrentImageWhileLoading: Bool = false
    var cancelWhenSuperseded: Bool = false
    var onlyLoadFirstFrame: Bool = false
    var acceptsTruncatedFiles: Bool = false
    var cacheOriginalImage: Bool = false
    var onFailureImage: KFCrossPlatformImage?? = .none
    var alsoPrefetchToMemory: Bool = false
    var loadDiskFileSynchronously: Bool = false
    var asyncCacheTypeCheck: Bool = false
    var diskStoreWriteOptions: Data.WritingOptions = []
    var memoryCacheExpiration: StorageExpiration? = nil
    var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    var diskCacheExpiration: StorageExpiration? = nil
    var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    var processingQueue: CallbackQueue? = nil
    var progressiveJPEG: ImageProgressive? = nil
    var alternativeSources: [Source]? = nil
    var retryStrategy: (any RetryStrategy)? = nil
    var lowDataModeSource: Source? = nil
    var forcedExtension: String? = nil
    var cacheKeyRule: CacheKeyRule? = nil
    var resultLimits: ResultLimits = ResultLimits.default
    var allowedSources: SourcePolicy? = nil
    var httpCaching: Bool = false
    var isolated: Bool = false
}

extension KingfisherParsedOptionsInfo {
    /// The cache that is read and written for the final image.
    public var targetCache: ImageCache? {
        get { storage.values.targetCache }
        set { values.targetCache = newValue }
    }
    /// The cache of originals; parsing sets it to the target cache if none is given.
    public var originalCache: ImageCache? {
        get { storage.values.originalCache }
        set { values.originalCache = newValue }
    }
    /// Which parts of a URL are left out of its key; nil for none.
    public var cacheKeyRule: CacheKeyRule? {
        get { storage.values.cacheKeyRule }
        set { values.cacheKeyRule = newValue }
    }
    /// The downloader to use instead of the manager's.
    public var downloader: ImageDownloader? {
        get { storage.values.downloader }
        set { values.downloader = newValue }
    }
    /// How the image appears in a view.
    public var transition: ImageTransition {
        get { storage.values.transition }
        set { values.transition = newValue }
    }
    /// The priority of the download, 0 to 1.
    public var downloadPriority: Float {
        get { storage.values.downloadPriority }
        set { values.downloadPriority = newValue }
    }
    /// When the image will be seen; overrides the priority.
    public var interest: ImageInterest? {
        get { storage.values.interest }
        set { values.interest = newValue }
    }
    /// The current priority of the load.
    var priority: Float { interest?.priority ?? downloadPriority }
    /// Whether the caches are skipped.
    public var forceRefresh: Bool {
        get { storage.values.forceRefresh }
        set { values.forceRefresh = newValue }
    }
    /// Whether only a memory hit is accepted.
    public var fromMemoryCacheOrRefresh: Bool {
        get { storage.values.fromMemoryCacheOrRefresh }
        set { values.fromMemoryCacheOrRefresh = newValue }
    }
    /// Whether cached images get a transition too.
    public var forceTransition: Bool {
        get { storage.values.forceTransition }
        set { values.forceTransition = newValue }
    }
    /// Whether the result is stored only in memory.
    public var cacheMemoryOnly: Bool {
        get { storage.values.cacheMemoryOnly }
        set { values.cacheMemoryOnly = newValue }
    }
    /// Whether completion waits for the cache writes.
    public var waitForCache: Bool {
        get { storage.values.waitForCache }
        set { values.waitForCache = newValue }
    }
    /// Whether loading from the source is forbidden.
    public var onlyFromCache: Bool {
        get { storage.values.onlyFromCache }
        set { values.onlyFromCache = newValue }
    }
    /// Whether decoding off the calling thread was requested; it always happens.
    public var backgroundDecode: Bool {
        get { storage.values.backgroundDecode }
        set { values.backgroundDecode = newValue }
    }
    /// Whether all frames of an animation are decoded immediately.
    public var preloadAllAnimationData: Bool {
        get { storage.values.preloadAllAnimationData }
        set { values.preloadAllAnimationData = newValue }
    }
    /// The queue on which the completion handler is called.
    public var callbackQueue: CallbackQueue {
        get { storage.values.callbackQueue }
        set { values.callbackQueue = newValue }
    }
    /// The scale of images decoded from data.
    public var scaleFactor: CGFloat {
        get { storage.values.scaleFactor }
        set { values.scaleFactor = newValue }
    }
    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)? {
        get { storage.values.requestModifier }
        set { values.requestModifier = newValue }
    }
    /// Decides about HTTP redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)? {
        get { storage.values.redirectHandler }
        set { values.redirectHandler = newValue }
    }
    /// Converts data to the final image.
    public var processor: any ImageProcessor {
        get { storage.values.processor }
        set { values.processor = newValue }
    }
    /// Changes the image just before it is delivered.
    public var imageModifier: (any ImageModifier)? {
        get { storage.values.imageModifier }
        set { values.imageModifier = newValue }
    }
    /// Converts images to the bytes stored on disk, and back.
    public var cacheSerializer: any CacheSerializer {
        get { storage.values.cacheSerializer }
        set { values.cacheSerializer = newValue }
    }
    /// Whether the placeholder is omitted if the view already shows an image.
    public var keepCurrentImageWhileLoading: Bool {
        get { storage.values.keepCurrentImageWhileLoading }
        set { values.keepCurrentImageWhileLoading = newValue }
    }
    /// Whether a view's load is cancelled when another load replaces it.
    public var cancelWhenSuperseded: Bool {
        get { storage.values.cancelWhenSuperseded }
        set { values.cancelWhenSuperseded = newValue }
    }
    /// Whether only the first frame of an animation is kept.
    public var onlyLoadFirstFrame: Bool {
        get { storage.values.onlyLoadFirstFrame }
        set { values.onlyLoadFirstFrame = newValue }
    }
    /// Whether still images whose file ends early are decoded as far as it goes.
    public var acceptsTruncatedFiles: Bool {
        get { storage.values.acceptsTruncatedFiles }
        set { values.acceptsTruncatedFiles = newValue }
    }
    /// Whether the unmodified download is also stored on disk.
    public var cacheOriginalImage: Bool {
        get { storage.values.cacheOriginalImage }
        set { values.cacheOriginalImage = newValue }
    }
    /// The image to show on failure.
    ///
    /// If absent the view is left as it is; if present but nil the view is cleared.
    public var onFailureImage: KFCrossPlatformImage?? {
        get { storage.values.onFailureImage }
        set { values.onFailureImage = newValue }
    }
    /// Whether the prefetcher reads disk hits into memory.
    public var alsoPrefetchToMemory: Bool {
        get { storage.values.alsoPrefetchToMemory }
        set { values.alsoPrefetchToMemory = newValue }
    }
    /// Whether the disk is read on the calling thread.
    public var loadDiskFileSynchronously: Bool {
        get { storage.values.loadDiskFileSynchronously }
        set { values.loadDiskFileSynchronously = newValue }
    }
    /// Whether the cache is probed away from the calling thread.
    public var asyncCacheTypeCheck: Bool {
        get { storage.values.asyncCacheTypeCheck }
        set { values.asyncCacheTypeCheck = newValue }
    }
    /// Options for writing the file on disk; only `.withoutOverwriting` has an effect.
    public var diskStoreWriteOptions: Data.WritingOptions {
        get { storage.values.diskStoreWriteOptions }
        set { values.diskStoreWriteOptions = newValue }
    }
    /// The memory expiration of this image; nil for the default of the memory storage.
    public var memoryCacheExpiration: StorageExpiration? {
        get { storage.values.memoryCacheExpiration }
        set { values.memoryCacheExpiration = newValue }
    }
    /// How a read from memory extends the expiration of this image.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending {
        get { storage.values.memoryCacheAccessExtendingExpiration }
        set { values.memoryCacheAccessExtendingExpiration = newValue }
    }
    /// The disk expiration of this image; nil for the default of the disk storage.
    public var diskCacheExpiration: StorageExpiration? {
        get { storage.values.diskCacheExpiration }
        set { values.diskCacheExpiration = newValue }
    }
    /// How a read from disk extends the expiration of this image.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending {
        get { storage.values.diskCacheAccessExtendingExpiration }
        set { values.diskCacheAccessExtendingExpiration = newValue }
    }
    /// The queue on which processors run; nil for the library's own threads.
    public var processingQueue: CallbackQueue? {
        get { storage.values.processingQueue }
        set { values.processingQueue = newValue }
    }
    /// How to display a progressive JPEG scan by scan; nil to wait for the complete image.
    public var progressiveJPEG: ImageProgressive? {
        get { storage.values.progressiveJPEG }
        set { values.progressiveJPEG = newValue }
    }
    /// Sources to try, in order, if the first one fails.
    public var alternativeSources: [Source]? {
        get { storage.values.alternativeSources }
        set { values.alternativeSources = newValue }
    }
    /// How to retry failed loads; nil for no retries.
    public var retryStrategy: (any RetryStrategy)? {
        get { storage.values.retryStrategy }
        set { values.retryStrategy = newValue }
    }
    /// The source to use instead when the network is metered.
    public var lowDataModeSource: Source? {
        get { storage.values.lowDataModeSource }
        set { values.lowDataModeSource = newValue }
    }
    /// A file extension to append to the name of the file on disk.
    public var forcedExtension: String? {
        get { storage.values.forcedExtension }
        set { values.forcedExtension = newValue }
    }
    /// Limits on the size of images made by processors.
    public var resultLimits: ResultLimits {
        get { storage.values.resultLimits }
        set { values.resultLimits = newValue }
    }
    /// The kinds of sources that may be read.
    ///
    /// Nil allows all, except files if the downloader has an address policy.
    public var allowedSources: SourcePolicy? {
        get { storage.values.allowedSources }
        set { values.allowedSources = newValue }
    }
    /// Whether HTTP caching headers are respected.
    public var httpCaching: Bool {
        get { storage.values.httpCaching }
        set { values.httpCaching = newValue }
    }
    /// Whether bytes are decoded in a separate worker process.
    public var isolated: Bool {
        get { storage.values.isolated }
        set { values.isolated = newValue }
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
