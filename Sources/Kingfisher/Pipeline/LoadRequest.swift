import Foundation

/// The resolved, immutable parameters of a load.
///
/// A class: a waiting load keeps the request in about a dozen places, and the value took more than
/// 700 bytes in each.
final class LoadRequest: Sendable {
    /// The source of this attempt; an alternative after the first source failed.
    let source: Source
    /// The key of this attempt's source.
    let key: String
    /// The name of the image in the caches.
    let entry: CacheEntryName
    /// The requested source.
    let originalSource: Source
    /// The manager's options, overridden by those of the call.
    let options: KingfisherParsedOptionsInfo
    /// The request and condition determined by HTTP caching; nil without it.
    let question: HTTPQuestion?
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    /// Whether to accept just finished work for the same image, even though no cache is consulted:
    /// the caller has found them empty.
    let acceptsFinished: Bool
    /// Whether the image is still needed; nil if it always is.
    let isStillWanted: (@Sendable () -> Bool)?
    /// Retained until the image is stored, so that other machines wait for it.
    let lease: SharedLease?

    /// Resolves the parameters of a call.
    ///
    /// The manager's parts are overridden by its default options, and these by the options of the
    /// call.
    init(
        source: Source,
        options: KingfisherParsedOptionsInfo,
        cache: ImageCache,
        downloader: ImageDownloader,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) {
        Counters.requests.add()
        let source = source.keyed(by: options.cacheKeyRule)
        self.source = source
        key = source.cacheKey
        entry = CacheEntryName(key: key, options: options)
        originalSource = source
        var options = options
        // The disk is read where it is asked, which is not the caller's thread.
        if options.asyncCacheTypeCheck { options.loadDiskFileSynchronously = false }
        self.options = options
        question = nil
        targetCache = options.targetCache ?? cache
        originalCache = options.originalCache ?? targetCache
        self.downloader = options.downloader ?? downloader
        acceptsFinished = false
        self.isStillWanted = isStillWanted
        lease = nil
    }

    /// A copy of a request with the given changes.
    private init(
        _ other: LoadRequest,
        source: Source? = nil,
        key: String? = nil,
        options: KingfisherParsedOptionsInfo? = nil,
        question: HTTPQuestion? = nil,
        acceptsFinished: Bool? = nil,
        lease: SharedLease? = nil
    ) {
        Counters.requests.add()
        self.source = source ?? other.source
        self.key = key ?? other.key
        self.options = options ?? other.options
        entry = key.map { CacheEntryName(key: $0, options: other.options) } ?? other.entry
        originalSource = other.originalSource
        self.question = question ?? other.question
        targetCache = other.targetCache
        originalCache = other.originalCache
        downloader = other.downloader
        self.acceptsFinished = acceptsFinished ?? other.acceptsFinished
        isStillWanted = other.isStillWanted
        self.lease = lease ?? other.lease
    }

    /// The same request for another source, optionally allowing a metered network.
    func with(source: Source, onAnyNetwork: Bool = false) -> LoadRequest {
        var options = options
        let source = source.keyed(by: options.cacheKeyRule)
        if onAnyNetwork { options.lowDataModeSource = nil }
        return LoadRequest(self, source: source, key: source.cacheKey, options: options)
    }

    /// The same request without consulting the caches.
    var refreshing: LoadRequest {
        var options = options
        options.forceRefresh = true
        return LoadRequest(self, options: options)
    }

    /// The same request for another variant of the image, which has its own entry.
    func with(variant: Int) -> LoadRequest {
        LoadRequest(self, key: "variant \(variant) of \(key)")
    }

    /// The same request with the question determined by HTTP caching.
    func with(_ question: HTTPQuestion) -> LoadRequest {
        LoadRequest(self, question: question)
    }

    /// The same request, with a lease of the image.
    func holding(_ lease: SharedLease) -> LoadRequest { LoadRequest(self, lease: lease) }

    /// The same request, accepting just finished work.
    var acceptingFinished: LoadRequest { LoadRequest(self, acceptsFinished: true) }

    /// The same request for an image that other loads have stored meanwhile; it does not accept
    /// finished work again.
    var afterFinish: LoadRequest {
        var options = options
        options.forceRefresh = false
        return LoadRequest(self, options: options, acceptsFinished: false)
    }
}

// MARK: Derived values

extension LoadRequest {
    /// The jobs of the downloader, so that its direct callers share the work.
    var processing: ImageMaker { downloader.processing }

    var identifier: String { options.processor.identifier }

    /// Whether the load returns the bytes of the source instead of an image.
    var isForBytes: Bool { options.processor is OriginalBytesProcessor }

    /// Whether the caches are consulted.
    var looksUp: Bool { !options.forceRefresh }

    /// The image's entry.
    var target: CacheTarget {
        CacheTarget(cache: targetCache, key: key, entry: entry, options: options)
    }

    /// The original's entry.
    var originalTarget: CacheTarget {
        let options = originalOptions
        return CacheTarget(cache: originalCache, key: key, entry: originalEntry, options: options)
    }

    /// Whether the image is cached by now: another load may have stored it since the lookup.
    var isStored: Bool { LookupPlan(self).isStored }

    /// The entry that is offered to other machines, so that they should wait for it; nil if the
    /// load stores none.
    var offer: (level: SharedLevel, entry: CacheEntryName)? {
        guard looksUp, acceptsDisk, entry.isShareable else { return nil }
        if !options.cacheMemoryOnly { return targetCache.sharing.map { ($0, entry) } }
        return storesOriginal ? originalCache.sharing.map { ($0, originalEntry) } : nil
    }

    /// Whether a lookup may use the disk.
    var acceptsDisk: Bool { !options.fromMemoryCacheOrRefresh }

    /// Whether the original has an entry other than the image's own, from which the image can be
    /// made.
    var hasSeparateOriginal: Bool { originalCache !== targetCache || !identifier.isEmpty }

    /// Whether the unmodified bytes are stored in addition to the image.
    var storesOriginal: Bool { options.cacheOriginalImage && !identifier.isEmpty }

    /// The options for looking up and storing the original.
    var originalOptions: KingfisherParsedOptionsInfo {
        var options = options
        options.processor = DefaultImageProcessor.default
        return options
    }

    /// Whether the image's entry on disk contains unprocessed bytes.
    var storesRawBytes: Bool {
        options.cacheSerializer.originalDataUsed && !identifier.isEmpty
    }

    /// The options for decoding an entry without processing.
    var decodingOptions: KingfisherParsedOptionsInfo {
        var options = originalOptions
        options.processingQueue = nil
        return options
    }

    /// The name of the original in the caches.
    var originalEntry: CacheEntryName {
        identifier.isEmpty ? entry : CacheEntryName(key: key, options: originalOptions)
    }

    /// The entry whose absence is recorded: removing the image makes the next load ask again.
    var absentEntry: CacheEntryName { isForBytes ? originalEntry : entry }

    /// The kinds of sources that may be read in place of `source`.
    func sourcePolicy(for source: Source) -> SourcePolicy {
        if let policy = options.allowedSources { return policy }
        guard case .provider = source,
            !downloader.transferSettings.addressPolicy.isUnrestricted
        else { return .all }
        return .all.subtracting(.files)
    }

    var isStale: Bool { isStillWanted.map { !$0() } ?? false }

    /// Throws if the image is no longer needed after the caches were consulted, so that nothing is
    /// downloaded.
    ///
    /// Not needed for a lookup on the caller's own thread, during which the caller cannot cancel.
    func checkWantedAfterMiss() throws(KingfisherError) {
        guard options.asyncCacheTypeCheck else { return }
        try checkWanted()
    }

    /// Throws if the image is no longer needed.
    func checkWanted() throws(KingfisherError) {
        if isStale { throw .cacheError(reason: .imageNotExisting(key: key)) }
    }
}
