import Foundation
import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The load that a command asks for.
struct PictureLoad: Sendable {
    /// A picture that came in.
    struct Loaded: Sendable {
        let result: RetrieveImageResult
        /// The bytes as they were loaded or cached; nil when the library has none.
        let original: Data?
    }

    private let place: PictureSource
    private let cacheFolder: String?
    private let timeout: Double
    private let headers: [RequestHeader]
    private let processor: (any ImageProcessor)?
    private let forceRefresh: Bool
    private let onlyFromCache: Bool

    init(_ command: GetCommand) {
        self.init(
            place: command.source.place,
            cacheFolder: command.cache,
            timeout: command.timeout,
            processor: Self.processor(of: command),
            headers: command.headers,
            forceRefresh: command.forceRefresh,
            onlyFromCache: command.onlyFromCache
        )
    }

    /// The steps of a command, on every frame if the file is to hold them all.
    private static func processor(of command: GetCommand) -> (any ImageProcessor)? {
        let chain = ProcessorSpec.chain(command.processors)
        guard let chain, command.output != nil, command.outputFormat?.holdsAnimations != false
        else { return chain }
        return AnimatedImageProcessor(
            chain,
            format: command.outputFormat?.imageFormat,
            compressionQuality: command.compressionQuality
        )
    }

    init(
        place: PictureSource,
        cacheFolder: String?,
        timeout: Double,
        processor: (any ImageProcessor)?,
        headers: [RequestHeader] = [],
        forceRefresh: Bool = false,
        onlyFromCache: Bool = false
    ) {
        self.place = place
        self.cacheFolder = cacheFolder
        self.timeout = timeout
        self.processor = processor
        self.headers = headers
        self.forceRefresh = forceRefresh
        self.onlyFromCache = onlyFromCache
    }

    func run(_ bar: ProgressBar?) async throws -> Loaded {
        let cache = try ToolCache.open(folder: cacheFolder)
        let downloader = ImageDownloader(name: "kf")
        downloader.downloadTimeout = timeout
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        let source = try place.resolved()
        let result = try await manager.retrieveImage(
            with: source,
            options: options,
            progressBlock: bar.map { bar in
                { received, total in bar.update(received: received, total: total) }
            }
        )
        return Loaded(result: result, original: original(result, in: cache))
    }

    private var options: KingfisherOptionsInfo {
        var options: KingfisherOptionsInfo = [.waitForCache]
        if let processor {
            // Lossless, so that the picture is the same whether it comes from the cache or not.
            options += [.processor(processor), .cacheSerializer(LosslessSerializer())]
        } else {
            var serializer = DefaultCacheSerializer()
            serializer.preferCacheOriginalData = true
            options += [.cacheSerializer(serializer)]
        }
        if !place.isCacheable { options.append(.cacheMemoryOnly) }
        if forceRefresh { options.append(.forceRefresh) }
        if onlyFromCache { options.append(.onlyFromCache) }
        if !headers.isEmpty {
            let headers = headers
            options.append(
                .requestModifier(
                    AnyModifier { request in
                        var request = request
                        for header in headers {
                            request.setValue(header.value, forHTTPHeaderField: header.name)
                        }
                        return request
                    }
                )
            )
        }
        return options
    }

    /// What was downloaded, or for a cached picture the file in the cache.
    private func original(_ result: RetrieveImageResult, in cache: ImageCache) -> Data? {
        guard result.cacheType != .none else { return result.data() }
        let file = cache.cacheFileURLIfOnDisk(
            forKey: result.originalSource.cacheKey,
            processorIdentifier: processor?.identifier ?? ""
        )
        // A file that has just gone is no failure: the picture is encoded anew.
        return file.flatMap { try? Data(contentsOf: $0) } ?? result.data()
    }
}

/// Keeps a picture as PNG, and an animation in its own file.
private struct LosslessSerializer: CacheSerializer {
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
