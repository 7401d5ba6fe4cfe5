import Foundation

/// Everything that a load needs to know, resolved once and never changed.
///
/// An object: a load that waits keeps the request in a dozen places, and the value took more than
/// 700 bytes in each.
final class LoadRequest: Sendable {
    /// What this attempt loads; an alternative after the first source failed.
    let source: Source
    /// The key of this attempt's source.
    let key: String
    /// What the caches know the image by.
    let entry: CacheEntryName
    /// What the caller asked for.
    let originalSource: Source
    /// The caller's options over the manager's.
    let options: KingfisherParsedOptionsInfo
    /// How HTTP caching asks for the image; nil without it.
    let question: HTTPQuestion?
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    /// Whether work for the same image that has just ended will do, although no cache is consulted:
    /// the caller has found them empty.
    let acceptsFinished: Bool
    /// Whether somebody still wants the image; nil when nobody says otherwise.
    let isStillWanted: (@Sendable () -> Bool)?

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
        self.source = source
        key = source.cacheKey
        entry = CacheEntryName(key: key, options: options)
        originalSource = source
        self.options = options
        question = nil
        targetCache = options.targetCache ?? cache
        originalCache = options.originalCache ?? targetCache
        self.downloader = options.downloader ?? downloader
        acceptsFinished = false
        self.isStillWanted = isStillWanted
    }

    /// The same request in which what is given differs.
    private init(
        _ other: LoadRequest,
        source: Source? = nil,
        key: String? = nil,
        options: KingfisherParsedOptionsInfo? = nil,
        question: HTTPQuestion? = nil,
        acceptsFinished: Bool? = nil
    ) {
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
    }

    /// The same request for another source, which may use a metered network on demand.
    func with(source: Source, onAnyNetwork: Bool = false) -> LoadRequest {
        var options = options
        if onAnyNetwork { options.lowDataModeSource = nil }
        return LoadRequest(self, source: source, key: source.cacheKey, options: options)
    }

    /// The same request, but past the caches.
    var refreshing: LoadRequest {
        var options = options
        options.forceRefresh = true
        return LoadRequest(self, options: options)
    }

    /// The same request for another variant of the image, which has an entry of its own.
    func with(variant: Int) -> LoadRequest {
        LoadRequest(self, key: "variant \(variant) of \(key)")
    }

    /// The same request, but asking as HTTP caching decided.
    func with(_ question: HTTPQuestion) -> LoadRequest {
        LoadRequest(self, question: question)
    }

    /// The same request, but content with work that has just ended.
    var acceptingFinished: LoadRequest { LoadRequest(self, acceptsFinished: true) }

    /// The same request for what others have stored meanwhile; it asks no further time.
    var afterFinish: LoadRequest {
        var options = options
        options.forceRefresh = false
        return LoadRequest(self, options: options, acceptsFinished: false)
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
