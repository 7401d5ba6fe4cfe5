import Foundation

/// Everything that a load needs to know, resolved once and never changed.
struct LoadRequest: Sendable {
    /// What this attempt loads; an alternative after the first source failed.
    private(set) var source: Source
    /// The key of this attempt's source.
    private(set) var key: String
    /// What the caches know the image by.
    private(set) var entry: CacheEntryName
    /// What the caller asked for.
    let originalSource: Source
    /// The caller's options over the manager's.
    private(set) var options: KingfisherParsedOptionsInfo
    /// How HTTP caching asks for the image; nil without it.
    private(set) var question: HTTPQuestion?
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    /// Whether work for the same image that has just ended will do, although no cache is consulted:
    /// the caller has found them empty.
    var acceptsFinished = false
    /// Whether somebody still wants the image; nil when nobody says otherwise.
    let isStillWanted: (@Sendable () -> Bool)?

    /// The same request for another source, which may use a metered network on demand.
    func with(source: Source, onAnyNetwork: Bool = false) -> LoadRequest {
        var request = self
        request.source = source
        request.key = source.cacheKey
        request.entry = CacheEntryName(key: request.key, options: options)
        if onAnyNetwork { request.options.lowDataModeSource = nil }
        return request
    }

    /// The same request, but past the caches.
    var refreshing: LoadRequest {
        var request = self
        request.options.forceRefresh = true
        return request
    }

    /// The same request for another variant of the image, which has an entry of its own.
    func with(variant: Int) -> LoadRequest {
        var request = self
        request.key = "variant \(variant) of \(key)"
        request.entry = CacheEntryName(key: request.key, options: options)
        return request
    }

    /// The same request, but asking as HTTP caching decided.
    func with(_ question: HTTPQuestion) -> LoadRequest {
        var request = self
        request.question = question
        return request
    }
}

// MARK: What the stages ask

extension LoadRequest {
    /// Where the work is done: the downloader's, so that its direct callers share it.
    var processing: ProcessingJobs { downloader.processing }

    var identifier: String { options.processor.identifier }

    /// Whether any cache is consulted.
    var looksUp: Bool { !options.forceRefresh }

    /// Whether the image is cached by now: others may have loaded it since the lookup.
    var isStored: Bool {
        let type = targetCache.imageCachedType(
            forKey: key,
            processorIdentifier: identifier,
            forcedExtension: options.forcedExtension
        )
        return acceptsDisk ? type.cached : type == .memory
    }

    /// The same request for what others have stored meanwhile; it asks no further time.
    var afterFinish: LoadRequest {
        var request = self
        request.options.forceRefresh = false
        request.acceptsFinished = false
        return request
    }

    /// Whether a lookup may go to the disk.
    var acceptsDisk: Bool { !options.fromMemoryCacheOrRefresh }

    /// Whether the original can stand for the image: it is another entry than the image's own.
    var hasSeparateOriginal: Bool { originalCache !== targetCache || !identifier.isEmpty }

    /// Whether the untouched bytes are stored beside the image.
    var storesOriginal: Bool { options.cacheOriginalImage && !identifier.isEmpty }

    /// The options under which the original is looked up and stored.
    var originalOptions: KingfisherParsedOptionsInfo {
        var options = options
        options.processor = DefaultImageProcessor.default
        return options
    }

    /// Whether the image's own entry on disk has bytes that its processor has not seen.
    var storesRawBytes: Bool {
        options.cacheSerializer.originalDataUsed && !identifier.isEmpty
    }

    /// The options under which an entry is decoded as it is.
    var decodingOptions: KingfisherParsedOptionsInfo {
        var options = originalOptions
        options.processingQueue = nil
        return options
    }

    /// What the caches know the original by.
    var originalEntry: CacheEntryName {
        identifier.isEmpty ? entry : CacheEntryName(key: key, options: originalOptions)
    }

    /// The kinds of sources that may be read where `source` is asked for.
    func sourcePolicy(for source: Source) -> SourcePolicy {
        if let policy = options.allowedSources { return policy }
        guard case .provider = source,
            !downloader.transferSettings.addressPolicy.isUnrestricted
        else { return .all }
        return .all.subtracting(.files)
    }

    var isStale: Bool { isStillWanted.map { !$0() } ?? false }

    /// Makes sure that nothing is downloaded for one who went away while the caches were asked.
    ///
    /// A probe on the caller's own thread leaves no time to go away.
    func checkWantedAfterMiss() throws(KingfisherError) {
        guard options.asyncCacheTypeCheck else { return }
        try checkWanted()
    }

    /// Makes sure that somebody still wants the image.
    func checkWanted() throws(KingfisherError) {
        if isStale { throw .cacheError(reason: .imageNotExisting(key: key)) }
    }
}

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
