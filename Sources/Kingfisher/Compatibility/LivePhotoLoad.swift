public import Foundation

/// Loads the missing resources of a live photo concurrently and stores them in the disk cache.
struct LivePhotoLoad: Sendable {
    let source: LivePhotoSource
    let request: LoadRequest

    /// Marks the resources in the cache; their bytes are stored unmodified.
    private static let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    private var cache: ImageCache { request.targetCache }

    /// The files in the order of the source's resources.
    ///
    /// - Throws: ``KingfisherError``; `livePhotoTaskCancelled` if the task is cancelled, or if the
    ///   live photo is no longer needed while resources are missing.
    func run() async throws -> LivePhotoLoadingInfoResult {
        for part in source.resources {
            try part.dataSource.check(against: request.sourcePolicy(for: part.dataSource))
        }
        var missing: [LivePhotoResource] = []
        for part in source.resources {
            let isThere = request.looksUp ? await file(of: part) != nil : false
            if !isThere { missing.append(part) }
        }
        if let first = missing.first, request.options.onlyFromCache, request.looksUp {
            throw KingfisherError.cacheError(reason: .missingLivePhotoResourceOnDisk(first))
        }
        let loaded = try await load(missing)
        var files: [URL] = []
        for part in source.resources {
            guard let file = await file(of: part) else {
                throw KingfisherError.cacheError(reason: .missingLivePhotoResourceOnDisk(part))
            }
            files.append(file)
        }
        return LivePhotoLoadingInfoResult(
            fileURLs: files,
            cacheType: missing.isEmpty ? .disk : .none,
            source: source,
            originalSource: source,
            data: { loaded }
        )
    }

    private func key(of part: LivePhotoResource) -> String {
        part.dataSource.keyed(by: request.options.cacheKeyRule).cacheKey
    }

    /// The file of a part; nil if there is none, or one whose bytes another program has changed.
    private func file(of part: LivePhotoResource) async -> URL? {
        let (key, identifier) = (key(of: part), Self.identifier)
        for text in part.possibleExtensions {
            let forced = text.isEmpty ? nil : text
            let bytes = await cache.storedData(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forced
            )
            if bytes != nil { return cache.fileURL(key, identifier, forced) }
        }
        return nil
    }

    /// Loads and stores resources; returns their bytes in order of arrival.
    private func load(_ parts: [LivePhotoResource]) async throws -> [Data] {
        guard !parts.isEmpty else { return [] }
        if request.isSuperseded { throw cancelled }
        do {
            return try await withThrowingTaskGroup { group in
                for part in parts {
                    group.addTask {
                        let data = try await bytes(of: part)
                        try await store(data, part)
                        return data
                    }
                }
                var loaded: [Data] = []
                for try await data in group { loaded.append(data) }
                return loaded
            }
        } catch {
            let isCancel = (error as? KingfisherError)?.isCancellation ?? false
            throw isCancel || error is CancellationError ? cancelled : error
        }
    }

    private func bytes(of part: LivePhotoResource) async throws -> Data {
        switch part.dataSource {
        case .network(let resource):
            return try await request.downloader
                .downloadLivePhotoResource(with: resource.downloadURL, options: request.options)
                .originalData
        case .provider(let provider):
            return try await FetchStage.loading(provider) { try await provider.data() }
        }
    }

    private func store(_ data: Data, _ part: LivePhotoResource) async throws {
        try await cache.storeToDisk(
            data,
            forKey: key(of: part),
            processorIdentifier: Self.identifier,
            forcedExtension: part.fileExtension(for: data),
            expiration: request.options.diskCacheExpiration
        )
    }

    private var cancelled: KingfisherError {
        .requestError(reason: .livePhotoTaskCancelled(source: source))
    }
}

extension KingfisherManager {
    /// Retrieves the files of a live photo.
    ///
    /// Resources that are not on disk are loaded concurrently and stored unmodified. Failed loads
    /// are not retried. The files are meant for the caller's own use: nothing on Linux displays
    /// live photos.
    ///
    /// - Parameters:
    ///   - source: The resources.
    ///   - options: Override the manager's ``defaultOptions``. Caches, downloader, request
    ///     modifier, priority, disk expiration, `forceRefresh` and `onlyFromCache` are used. A
    ///     processor other than the default one traps in debug builds and is ignored otherwise.
    ///   - progressBlock: Never called; exists for compatibility.
    ///   - referenceTaskIdentifierChecker: Returns whether the live photo is still needed; called
    ///     before missing resources are loaded.
    /// - Returns: The files in the order of the resources.
    /// - Throws: ``KingfisherError``; `emptySource` without resources, `livePhotoTaskCancelled` if
    ///   the task is cancelled, `missingLivePhotoResourceOnDisk` if a resource is not on disk and
    ///   must not be loaded.
    public func retrieveLivePhoto(
        with source: LivePhotoSource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        referenceTaskIdentifierChecker: (@Sendable () -> Bool)? = nil
    ) async throws -> LivePhotoLoadingInfoResult {
        let parsed = KingfisherParsedOptionsInfo(resolved(options))
        assert(
            parsed.processor.identifier.isEmpty,
            "live photos are stored unprocessed; remove \(parsed.processor.identifier)"
        )
        guard let first = source.resources.first?.dataSource else {
            throw KingfisherError.imageSettingError(reason: .emptySource)
        }
        let request = request(first, parsed, isStillWanted: referenceTaskIdentifierChecker)
        return try await LivePhotoLoad(source: source, request: request).run()
    }
}

/// The bytes of one resource of a live photo.
public struct LivePhotoResourceDownloadingResult: Sendable {
    /// The URL of the request that was sent.
    public let url: URL?

    /// The bytes, as returned by the downloader's delegate.
    public let originalData: Data

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - originalData: The bytes, as returned by the downloader's delegate.
    ///   - url: The URL of the request that was sent.
    public init(originalData: Data, url: URL? = nil) {
        self.originalData = originalData
        self.url = url
    }
}

extension ImageDownloader {
    /// Downloads the bytes of one resource of a live photo, in any format.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The request modifier, redirect handler and priority are used; the processor is
    ///     not.
    /// - Returns: The bytes.
    /// - Throws: ``KingfisherError``; `taskCancelled` if the task was cancelled.
    public func downloadLivePhotoResource(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> LivePhotoResourceDownloadingResult {
        try await livePhotoResource(url, options, DownloadTask())
    }

    /// Downloads the bytes of one resource of a live photo and passes them to a closure.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the overload without a closure.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The task to cancel the download with.
    @discardableResult
    public func downloadLivePhotoResource(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (
            @Sendable (Result<LivePhotoResourceDownloadingResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask {
        DownloadTask.running(callingBackOn: options.callbackQueue, completionHandler) { task in
            try await self.livePhotoResource(url, options, task)
        }
    }

    private func livePhotoResource(
        _ url: URL,
        _ options: KingfisherParsedOptionsInfo,
        _ task: DownloadTask
    ) async throws -> LivePhotoResourceDownloadingResult {
        var options = options
        // This processor keeps the download from planning a decode of the bytes.
        options.processor = OriginalBytesProcessor()
        let fetched = try await fetch(url, options: options, task: task, progress: nil)
        fetched.token?.leave()
        return LivePhotoResourceDownloadingResult(originalData: fetched.data, url: fetched.url)
    }
}
