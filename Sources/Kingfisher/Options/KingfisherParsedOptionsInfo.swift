public import Foundation

/// A list of options, parsed once.
///
/// Its properties are those of ``Values``. Copying costs one reference count, because a load passes
/// the options on about a dozen times. Changing a property copies all values.
@dynamicMemberLookup
public struct KingfisherParsedOptionsInfo: Sendable {
    private final class Storage: Sendable {
        static let defaults = Storage(Values())
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private var storage: Storage

    /// Parses a list from left to right; nil gives the defaults.
    public init(_ info: KingfisherOptionsInfo?) {
        guard let info, !info.isEmpty else {
            storage = .defaults
            return
        }
        var values = Values()
        for item in info { values.apply(item) }
        if values.originalCache == nil { values.originalCache = values.targetCache }
        storage = Storage(values)
    }

    /// The value of an option.
    public subscript<Value>(dynamicMember option: WritableKeyPath<Values, Value>) -> Value {
        get { storage.values[keyPath: option] }
        set {
            var values = storage.values
            values[keyPath: option] = newValue
            storage = Storage(values)
        }
    }

    /// The values of all options, each a property of ``KingfisherParsedOptionsInfo``.
    public struct Values: Sendable {
        /// The cache that is read and written for the final image.
        public var targetCache: ImageCache? = nil
        /// The cache of originals; parsing sets it to the target cache if none is given.
        public var originalCache: ImageCache? = nil
        /// The downloader to use instead of the manager's.
        public var downloader: ImageDownloader? = nil
        /// How the image appears in a view.
        public var transition: ImageTransition = .none
        /// The priority of the download, 0 to 1.
        public var downloadPriority: Float = 0.5
        /// When the image will be seen; overrides the priority.
        public var interest: ImageInterest? = nil
        /// Whether the caches are skipped.
        public var forceRefresh: Bool = false
        /// Whether only a memory hit is accepted.
        public var fromMemoryCacheOrRefresh: Bool = false
        /// Whether cached images get a transition too.
        public var forceTransition: Bool = false
        /// Whether the result is stored only in memory.
        public var cacheMemoryOnly: Bool = false
        /// Whether completion waits for the cache writes.
        public var waitForCache: Bool = false
        /// Whether loading from the source is forbidden.
        public var onlyFromCache: Bool = false
        /// Whether decoding off the calling thread was requested; it always happens.
        public var backgroundDecode: Bool = false
        /// Whether all frames of an animation are decoded immediately.
        public var preloadAllAnimationData: Bool = false
        /// The queue on which the completion handler is called.
        public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
        /// The scale of images decoded from data.
        public var scaleFactor: CGFloat = 1.0 {
            // As part of a key, a value that is not a number would never be found again.
            didSet { if !(scaleFactor > 0 && scaleFactor.isFinite) { scaleFactor = 1 } }
        }
        /// Changes the request before it is sent.
        public var requestModifier: (any AsyncImageDownloadRequestModifier)? = nil
        /// Decides about HTTP redirects.
        public var redirectHandler: (any ImageDownloadRedirectHandler)? = nil
        /// Converts data to the final image.
        public var processor: any ImageProcessor = DefaultImageProcessor.default
        /// Changes the image just before it is delivered.
        public var imageModifier: (any ImageModifier)? = nil
        /// Converts images to the bytes stored on disk, and back.
        public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
        /// Whether the placeholder is omitted if the view already shows an image.
        public var keepCurrentImageWhileLoading: Bool = false
        /// Whether a view's load is cancelled when another load replaces it.
        public var cancelWhenSuperseded: Bool = false
        /// Whether only the first frame of an animation is kept.
        public var onlyLoadFirstFrame: Bool = false
        /// Whether still images whose file ends early are decoded as far as it goes.
        public var acceptsTruncatedFiles: Bool = false
        /// Whether the unmodified download is also stored on disk.
        public var cacheOriginalImage: Bool = false
        /// The image to show on failure.
        ///
        /// If absent the view is left as it is; if present but nil the view is cleared.
        public var onFailureImage: KFCrossPlatformImage?? = .none
        /// Whether the prefetcher reads disk hits into memory.
        public var alsoPrefetchToMemory: Bool = false
        /// Whether the disk is read on the calling thread.
        public var loadDiskFileSynchronously: Bool = false
        /// Whether the cache is probed away from the calling thread.
        public var asyncCacheTypeCheck: Bool = false
        /// Options for writing the file on disk; only `.withoutOverwriting` has an effect.
        public var diskStoreWriteOptions: Data.WritingOptions = []
        /// The memory expiration of this image; nil for the default of the memory storage.
        public var memoryCacheExpiration: StorageExpiration? = nil
        /// How a read from memory extends the expiration of this image.
        public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
        /// The disk expiration of this image; nil for the default of the disk storage.
        public var diskCacheExpiration: StorageExpiration? = nil
        /// How a read from disk extends the expiration of this image.
        public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
        /// The queue on which processors run; nil for the library's own threads.
        public var processingQueue: CallbackQueue? = nil
        /// How to display a progressive JPEG scan by scan; nil to wait for the complete image.
        public var progressiveJPEG: ImageProgressive? = nil
        /// Sources to try, in order, if the first one fails.
        public var alternativeSources: [Source]? = nil
        /// How to retry failed loads; nil for no retries.
        public var retryStrategy: (any RetryStrategy)? = nil
        /// The source to use instead when the network is metered.
        public var lowDataModeSource: Source? = nil
        /// A file extension to append to the name of the file on disk.
        public var forcedExtension: String? = nil
        /// Which parts of a URL are left out of its key; nil for none.
        public var cacheKeyRule: CacheKeyRule? = nil
        /// Limits on the size of images made by processors.
        public var resultLimits: ResultLimits = ResultLimits.default
        /// The kinds of sources that may be read.
        ///
        /// Nil allows all, except files if the downloader has an address policy.
        public var allowedSources: SourcePolicy? = nil
        /// Whether HTTP caching headers are respected.
        public var httpCaching: Bool = false
        /// Whether bytes are decoded in a separate worker process.
        public var isolated: Bool = false

        init() {}
    }
}

extension KingfisherParsedOptionsInfo.Values {
    /// Applies one item to the corresponding property.
    ///
    /// Flags can only be switched on.
    mutating func apply(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .forceTransition: forceTransition = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .backgroundDecode: backgroundDecode = true
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .cancelWhenSuperseded: cancelWhenSuperseded = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .httpCaching: httpCaching = true
        case .isolated: isolated = true
        case .acceptsTruncatedFiles: acceptsTruncatedFiles = true
        case .targetCache(let cache): targetCache = cache
        case .originalCache(let cache): originalCache = cache
        case .downloader(let downloader): self.downloader = downloader
        case .requestModifier(let modifier): requestModifier = modifier
        case .redirectHandler(let handler): redirectHandler = handler
        case .processor(let processor): self.processor = processor
        case .cacheSerializer(let serializer): cacheSerializer = serializer
        case .imageModifier(let modifier): imageModifier = modifier
        case .retryStrategy(let strategy): retryStrategy = strategy
        case .callbackQueue(let queue): callbackQueue = queue
        case .processingQueue(let queue): processingQueue = queue
        case .transition(let transition): self.transition = transition
        case .downloadPriority(let priority): downloadPriority = priority
        case .interest(let interest): self.interest = interest
        case .scaleFactor(let factor): scaleFactor = factor
        case .onFailureImage(let image): onFailureImage = .some(image)
        case .diskStoreWriteOptions(let options): diskStoreWriteOptions = options
        case .memoryCacheExpiration(let expiration): memoryCacheExpiration = expiration
        case .memoryCacheAccessExtendingExpiration(let extending):
            memoryCacheAccessExtendingExpiration = extending
        case .diskCacheExpiration(let expiration): diskCacheExpiration = expiration
        case .diskCacheAccessExtendingExpiration(let extending):
            diskCacheAccessExtendingExpiration = extending
        case .progressiveJPEG(let progressive): progressiveJPEG = progressive
        case .alternativeSources(let sources): alternativeSources = sources
        case .resultLimits(let limits): resultLimits = limits
        case .allowedSources(let policy): allowedSources = policy
        case .lowDataMode(let source): lowDataModeSource = source
        case .cacheKeyRule(let rule): cacheKeyRule = rule
        case .forcedCacheFileExtension(let fileExtension): forcedExtension = fileExtension
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The current priority of the load.
    var priority: Float { self.interest?.priority ?? self.downloadPriority }

    var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: self.scaleFactor,
            duration: 0,
            preloadAll: self.preloadAllAnimationData,
            onlyFirstFrame: self.onlyLoadFirstFrame
        )
    }
}
