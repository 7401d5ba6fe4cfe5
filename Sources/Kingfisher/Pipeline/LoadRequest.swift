import Foundation
import Synchronization

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
    /// The name of the original in the caches, made when it is first needed.
    private let madeOriginalEntry = Mutex<CacheEntryName?>(nil)
    /// The requested source.
    let originalSource: Source
    /// The manager's options, overridden by those of the call.
    let options: KingfisherParsedOptionsInfo
    /// The request and condition determined by HTTP caching; nil without it.
    let conditional: ConditionalRequest?
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    /// Whether the caches are consulted.
    let looksUp: Bool
    /// Whether to accept just finished work for the same image: the caches were found empty, but
    /// another load may have stored it since.
    let mayJoinFinished: Bool
    /// Whether the image is still needed; nil if it always is.
    let isStillWanted: (@Sendable () -> Bool)?
    /// Retained until the image is stored, so that other machines wait for it.
    let lease: SharedLease?
    private let marks: Mutex<RemovalMarks?>

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
        conditional = nil
        targetCache = options.targetCache ?? cache
        originalCache = options.originalCache ?? targetCache
        self.downloader = options.downloader ?? downloader
        looksUp = !options.forceRefresh
        mayJoinFinished = looksUp && !options.httpCaching
        self.isStillWanted = isStillWanted
        lease = nil
        marks = Mutex(nil)
    }

    /// A copy of a request with the given changes.
    private init(
        _ other: LoadRequest,
        source: Source? = nil,
        key: String? = nil,
        options: KingfisherParsedOptionsInfo? = nil,
        conditional: ConditionalRequest? = nil,
        looksUp: Bool? = nil,
        mayJoinFinished: Bool? = nil,
        lease: SharedLease? = nil
    ) {
        Counters.requests.add()
        self.source = source ?? other.source
        self.key = key ?? other.key
        self.options = options ?? other.options
        entry = key.map { CacheEntryName(key: $0, options: other.options) } ?? other.entry
        originalSource = other.originalSource
        self.conditional = conditional ?? other.conditional
        targetCache = other.targetCache
        originalCache = other.originalCache
        downloader = other.downloader
        self.looksUp = looksUp ?? other.looksUp
        self.mayJoinFinished = mayJoinFinished ?? other.mayJoinFinished
        isStillWanted = other.isStillWanted
        self.lease = lease ?? other.lease
        marks = Mutex(other.marks.withLock { $0 })
    }

    /// The same request for another source, optionally allowing a metered network.
    func with(source: Source, onAnyNetwork: Bool = false) -> LoadRequest {
        var options = options
        let source = source.keyed(by: options.cacheKeyRule)
        if onAnyNetwork { options.lowDataModeSource = nil }
        return LoadRequest(self, source: source, key: source.cacheKey, options: options)
    }

    /// The same request for a caller that has found the caches empty.
    var afterLookup: LoadRequest { LoadRequest(self, looksUp: false) }

    /// The same request for another variant of the image, which has its own entry.
    func with(variant: Int) -> LoadRequest {
        LoadRequest(self, key: "variant \(variant) of \(key)")
    }

    /// The same request with the conditional request determined by HTTP caching.
    func with(_ conditional: ConditionalRequest) -> LoadRequest {
        LoadRequest(self, conditional: conditional)
    }

    /// The same request, with a lease of the image.
    func holding(_ lease: SharedLease) -> LoadRequest { LoadRequest(self, lease: lease) }

    /// The same request for an image that other loads have stored meanwhile; it does not accept
    /// finished work again.
    var afterFinish: LoadRequest { LoadRequest(self, looksUp: true, mayJoinFinished: false) }
}

/// The removals of an image and its original when their load began.
struct RemovalMarks {
    let image: RemovalMark
    let original: RemovalMark
}

// MARK: Derived values

extension LoadRequest {
    /// Marks the removals so far; a load begins with it, and so does each further attempt.
    @discardableResult
    func begin() -> RemovalMarks {
        let made = RemovalMarks(
            // The bytes of an original are removed with it.
            image: targetCache.removals.mark(isForBytes ? key : entry.computedKey),
            original: originalCache.removals.mark(key)
        )
        marks.withLock { $0 = made }
        return made
    }

    /// The removals before the load began.
    var removals: RemovalMarks { marks.withLock { $0 } ?? begin() }

    /// The jobs of the downloader, so that its direct callers share the work.
    var processing: ImageMaker { downloader.processing }

    var identifier: String { options.processor.identifier }

    /// Whether the load returns the bytes of the source instead of an image.
    var isForBytes: Bool { options.processor.carriesFile }

    /// The image's entry.
    var target: CacheTarget { CacheTarget(request: self, isOriginal: false) }

    /// The original's entry.
    var originalTarget: CacheTarget { CacheTarget(request: self, isOriginal: true) }

    /// The entry that is offered to other machines, so that they should wait for it; nil if the
    /// load stores none.
    var leaseEntry: (cache: ImageCache, entry: CacheEntryName)? {
        guard looksUp, acceptsDisk, entry.isShareable else { return nil }
        if !options.cacheMemoryOnly {
            return targetCache.sharing == nil ? nil : (targetCache, entry)
        }
        guard storesOriginal, originalCache.sharing != nil else { return nil }
        return (originalCache, originalEntry)
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
        guard !identifier.isEmpty else { return entry }
        return madeOriginalEntry.withLock { made in
            if let made { return made }
            let entry = CacheEntryName(key: key, identifier: "", forced: options.forcedExtension)
            made = entry
            return entry
        }
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

    /// Throws if the source must not be loaded, whatever the caches have.
    func checkSource() throws(KingfisherError) {
        try source.check(against: sourcePolicy(for: source))
    }

    /// Whether ``checkSource()`` passes.
    var allowsSource: Bool { (try? checkSource()) != nil }

    var isSuperseded: Bool { isStillWanted.map { !$0() } ?? false }

    /// Throws if the image is no longer needed after the caches were consulted, so that nothing is
    /// downloaded.
    ///
    /// Not needed for a lookup on the caller's own thread, during which the caller cannot cancel.
    func checkWantedAfterMiss() throws {
        guard options.asyncCacheTypeCheck else { return }
        try checkWanted()
    }

    /// Throws if the image is no longer needed.
    @inline(never)
    func checkWanted() throws {
        guard isSuperseded else { return }
        throw KingfisherError.cacheError(reason: .imageNotExisting(key: key))
    }
}
