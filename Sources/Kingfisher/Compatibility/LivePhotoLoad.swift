import Foundation

/// Loads the missing resources of a live photo concurrently and stores them in the disk cache.
struct LivePhotoLoad: Sendable {
    let source: LivePhotoSource
    let request: LoadRequest

    private var cache: ImageCache { request.targetCache }

    /// The files in the order of the source's resources.
    ///
    /// - Throws: ``KingfisherError``; `livePhotoTaskCancelled` if the task is cancelled, or if the
    ///   live photo is no longer needed while resources are missing.
    func run() async throws -> LivePhotoLoadingInfoResult {
        for part in source.resources {
            try part.dataSource.check(against: request.sourcePolicy(for: part.dataSource))
        }
        let missing = source.resources.filter { !request.looksUp || file(of: $0) == nil }
        if let first = missing.first, request.options.onlyFromCache, request.looksUp {
            throw KingfisherError.cacheError(reason: .missingLivePhotoResourceOnDisk(first))
        }
        let loaded = try await load(missing)
        let files = try source.resources.map { part in
            guard let file = file(of: part) else {
                throw KingfisherError.cacheError(reason: .missingLivePhotoResourceOnDisk(part))
            }
            return file
        }
        return LivePhotoLoadingInfoResult(
            fileURLs: files,
            cacheType: missing.isEmpty ? .disk : .none,
            source: source,
            originalSource: source,
            data: { loaded }
        )
    }

    private func file(of part: LivePhotoResource) -> URL? {
        part.possibleExtensions.lazy.compactMap { text in
            cache.cacheFileURLIfOnDisk(
                forKey: part.dataSource.cacheKey,
                processorIdentifier: LivePhotoImageProcessor.default.identifier,
                forcedExtension: text.isEmpty ? nil : text
            )
        }
        // If another process has removed a file that is in the index, it is loaded again.
        .first { access($0.path, R_OK) == 0 }
    }

    /// Loads and stores resources; returns their bytes in order of arrival.
    private func load(_ parts: [LivePhotoResource]) async throws -> [Data] {
        guard !parts.isEmpty else { return [] }
        if request.isStale { throw cancelled }
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
            return try await FetchStage.data(of: provider)
        }
    }

    private func store(_ data: Data, _ part: LivePhotoResource) async throws {
        try await cache.storeToDisk(
            data,
            forKey: part.dataSource.cacheKey,
            processorIdentifier: LivePhotoImageProcessor.default.identifier,
            forcedExtension: part.fileExtension(for: data),
            expiration: request.options.diskCacheExpiration
        )
    }

    private var cancelled: KingfisherError {
        .requestError(reason: .livePhotoTaskCancelled(source: source))
    }
}
