import Foundation
@_spi(Programs) import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A load with the options of a command.
struct PictureLoad: Sendable {
    /// A loaded image.
    struct Loaded: Sendable {
        let result: RetrieveImageResult
        /// The loaded or cached bytes; nil if the library does not provide them.
        let original: Data?
        fileprivate let cache: ImageCache
        fileprivate let suffix: String?

        /// Where the image comes from, in the words of `kf explain`; none for the source itself.
        var origin: String {
            // The cached source is read by the lookup.
            let isMade = result.cacheType == .none && result.timings.fetch == nil
            return isMade ? "original" : "\(result.cacheType)"
        }

        /// Whether the source is a page of a document or a frame of a video, which has no file of its
        /// own.
        var isPart: Bool {
            guard case .provider(let provider) = result.originalSource else { return false }
            return provider is PDFPageDataProvider || provider is VideoFrameDataProvider
        }

        /// The bytes of the source, before any step; nil if the cache has them no longer.
        func source() async -> Data? {
            if result.metrics != nil { return result.data() }
            // An image that was made of a cached source does not come from a cache itself.
            if let stored = await cache.storedData(forKey: result.originalSource.cacheKey) {
                return stored
            }
            return result.cacheType == .none ? result.data() : nil
        }

        /// The format of the source, or of the URL's suffix; nil if it is not known any more.
        func sourceFormat() async -> PictureFormat? {
            if let bytes = await source(), bytes.kf.imageFormat != .unknown {
                return PictureFormat(bytes.kf.imageFormat)
            }
            return result.cacheType == .none ? nil : suffix.flatMap { PictureFormat(name: $0) }
        }
    }

    let source: PictureSource
    let reading: ReadOptions
    /// Caches and requests; nil for files alone.
    private let loading: LoadOptions?
    let processor: (any ImageProcessor)?
    /// Whether the cache also keeps the source of a processed image.
    ///
    /// Other sizes need no download then, and the source's format stays known.
    var keepsOriginal = true
    /// Options of the library in addition to those of the command line.
    var further: KingfisherOptionsInfo = []
    /// What the processor was made of; a worker shrinks a frame that they make much smaller.
    var steps: [ProcessorSpec] = []
    /// A part of a video instead of a frame.
    var clip: VideoClip?
    /// The format of a part of a video that is written as it is; nil for another one.
    var clipFormat: PictureFormat?
    /// A frame of the source; nil for the one of the options.
    var provider: VideoFrameDataProvider?

    /// A load of anything.
    init(source: PictureSource, loading: LoadOptions, processor: (any ImageProcessor)?) {
        self.source = source
        self.loading = loading
        self.processor = processor
        reading = loading.reading
    }

    /// The load of `kf get`.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - loading: The options of the load.
    ///   - options: The steps.
    ///   - target: Where the image is written.
    ///   - clip: A part of a video instead of a frame.
    ///   - isCopied: Whether a file of the target's format is copied as it is.
    /// - Throws: A `ValidationError` for the suffix of no format.
    init(
        source: PictureSource,
        loading: LoadOptions,
        options: StepOptions,
        target: GetTarget,
        clip: VideoClip?,
        isCopied: Bool
    ) throws {
        let format = try target.format(options.format)
        let processor = options.processor(isWritten: target.isWritten, as: format)
        self.init(source: source, loading: loading, processor: processor)
        steps = options.processors
        self.clip = clip
        clipFormat = isCopied && format?.holdsAnimations == true ? format : nil
    }

    /// A load of a file without a cache.
    init(file path: String, reading: ReadOptions, processor: (any ImageProcessor)?) {
        source = PictureSource(file: path)
        loading = nil
        self.processor = processor
        self.reading = reading
    }

    /// Loads the image within the timeout of the options.
    ///
    /// - Parameters:
    ///   - bar: Shows the progress of a download.
    ///   - downloader: Shared by several loads; nil for one of its own.
    /// - Returns: The image.
    /// - Throws: A ``Failure``, a `KingfisherError`, or that the time is over.
    func run(
        _ bar: ProgressBar? = nil,
        downloader: ImageDownloader? = nil
    ) async throws -> Loaded {
        try await withDeadline(seconds: reading.timeout) { try await load(bar, downloader) }
    }

    /// Loads the image with a manager that several loads share.
    ///
    /// - Parameters:
    ///   - manager: The manager.
    ///   - further: Options in addition to those of the command.
    /// - Returns: The image and its source.
    /// - Throws: As ``run(_:downloader:)``.
    func run(
        by manager: KingfisherManager,
        options further: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await withDeadline(seconds: reading.timeout) {
            try await manager.retrieveImage(with: try resolved(), options: options + further)
        }
    }

    private func load(
        _ bar: ProgressBar?,
        _ downloader: ImageDownloader?
    ) async throws -> Loaded {
        let manager = try manager(downloader)
        let source = try resolved()
        let result = try await manager.retrieveImage(
            with: source,
            options: options,
            progressBlock: bar.map { bar in
                { received, total in bar.update(received: received, total: total) }
            }
        )
        if result.isTruncated, LibraryLog.shared.level != .quiet {
            Terminal.note("kf: \(Terminal.line(self.source.title)): \(TruncationOptions.note)")
        }
        return Loaded(
            result: result,
            original: await original(result, in: manager.cache),
            cache: manager.cache,
            suffix: self.source.webURL?.pathExtension
        )
    }

    /// Creates a manager with the cache that the options select.
    func manager(_ shared: ImageDownloader? = nil) throws -> KingfisherManager {
        let downloader = shared ?? ImageDownloader(name: "kf")
        downloader.downloadTimeout = reading.timeout
        downloader.delegate = StatusCheck.shared
        UnfinishedFiles.shared.add(downloader)
        return KingfisherManager(downloader: downloader, cache: try ToolCache.open(cache))
    }

    /// The library's source.
    func resolved() throws -> Source {
        if let provider { return .provider(provider) }
        if let url = source.webURL, reading.pages.asksForFrame || clip != nil {
            try reading.pages.check(.video, of: source.title)
            let size = steps.first?.sufficientSize
            return .provider(
                reading.pages.frame(of: url, fitting: size, clip: clip, as: clipFormat)
            )
        }
        let document = source.document
        try reading.pages.check(document?.kind, of: source.title, clip: clip)
        if let document {
            return .provider(
                try reading.pages.provider(
                    for: document,
                    before: steps,
                    clip: clip,
                    as: clipFormat
                )
            )
        }
        return try source.resolved(patience: reading.timeout, isCached: cache != .none)
    }

    private var cache: CacheChoice { loading?.usedCache(for: source) ?? .none }

    /// The library's options for the load.
    var options: KingfisherOptionsInfo {
        var options: KingfisherOptionsInfo = [.waitForCache]
        if let processor {
            // Lossless, so that a cached image equals a fresh one.
            options += [.processor(processor), .cacheSerializer(LosslessSerializer())]
        } else {
            var serializer = DefaultCacheSerializer()
            serializer.preferCacheOriginalData = true
            options += [.cacheSerializer(serializer)]
        }
        if cache == .none {
            options += [
                .cacheMemoryOnly, .forceRefresh, .memoryCacheExpiration(.expired),
            ]
        } else if processor != nil, keepsOriginal {
            options.append(.cacheOriginalImage)
        }
        if reading.isolate { options.append(.isolated) }
        options += reading.truncation.options + further
        guard let loading else { return options }
        if loading.forceRefresh { options.append(.forceRefresh) }
        if loading.onlyFromCache { options.append(.onlyFromCache) }
        if !loading.ignoredQueryItems.isEmpty {
            let names = Set(loading.ignoredQueryItems)
            options.append(.cacheKeyRule(CacheKeyRule(ignoringQueryItems: names)))
        }
        if !loading.headers.isEmpty { options.append(.requestModifier(HeaderModifier(loading))) }
        return options
    }

    /// The downloaded bytes, or the cached ones of a cached image.
    private func original(_ result: RetrieveImageResult, in cache: ImageCache) async -> Data? {
        guard result.cacheType != .none else { return result.data() }
        let stored = await cache.storedData(
            forKey: result.originalSource.cacheKey,
            processorIdentifier: processor?.identifier ?? ""
        )
        // An entry that was just removed is not an error: the image is encoded again.
        return stored ?? result.data()
    }
}

/// Refuses statuses from 300 on: of a redirect that names no address the library takes the body.
private final class StatusCheck: ImageDownloaderDelegate, Sendable {
    static let shared = StatusCheck()

    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        (200..<300).contains(code)
    }
}

/// Adds the headers of the command line to a request.
private struct HeaderModifier: ImageDownloadRequestModifier {
    private let headers: [RequestHeader]

    init(_ options: LoadOptions) { headers = options.headers }

    func modified(for request: URLRequest) -> URLRequest? {
        var request = request
        for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
        return request
    }
}

/// Caches an image as PNG, and an animation as its own file.
private struct LosslessSerializer: CacheSerializer {
    var usesDefaultDecoding: Bool { true }

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        image.kf.gifRepresentation() ?? image.kf.pngRepresentation()
    }

    func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
