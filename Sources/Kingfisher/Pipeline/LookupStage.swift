import Foundation

/// Finds an image in the caches: memory, then disk, then an original to process.
struct LookupStage {
    let request: LoadRequest
    let processing: ProcessingJobs

    /// The result of a hit; nil for a miss.
    ///
    /// A memory hit is found without leaving the caller's thread. Cancellation does not turn a hit
    /// into a failure, since the picture is there.
    func run() async throws -> RetrieveImageResult? {
        let options = request.options
        if let image = request.targetCache
            .retrieveImageInMemoryCache(forKey: request.key, options: options)
        {
            return try await result(image, from: .memory)
        }
        if request.acceptsDisk, let hit = try await disk(in: request.targetCache, options) {
            return try await result(hit.image, from: hit.type)
        }
        guard request.hasSeparateOriginal else { return nil }
        return try await original()
    }

    private func disk(
        in cache: ImageCache,
        _ options: KingfisherParsedOptionsInfo
    ) async throws -> (image: KFCrossPlatformImage, type: CacheType)? {
        // The index answers without touching the disk, so a miss stays on the caller's thread.
        let known = cache.imageCachedType(
            forKey: request.key,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension
        )
        guard known.cached else { return nil }
        // A damaged or vanished file is a miss: the image is loaded again and stored anew.
        let found = try? await cache.lookUp(
            key: request.key,
            options: options,
            isStillWanted: request.isStillWanted
        )
        if let found, let image = found.image { return (image, found.cacheType) }
        // Nobody waits for the picture any more, so nothing is downloaded in its place.
        if request.isStale {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
        }
        return nil
    }

    /// Makes the image from a cached original, and stores it.
    private func original() async throws -> RetrieveImageResult? {
        let options = request.originalOptions
        let cache = request.originalCache
        let inMemory = cache.retrieveImageInMemoryCache(forKey: request.key, options: options)
        var image = inMemory
        if image == nil, request.acceptsDisk { image = try await disk(in: cache, options)?.image }
        guard let image else { return nil }
        if request.isStale {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
        }
        let processed = try await processing.image(of: .image(image), options: request.options)
        await StoreStage(request: request)
            .run(LoadedImage(image: processed, data: nil, originalIsStored: true))
        return try await result(processed, from: .none, isProcessed: true)
    }

    /// A hit as a result; processed again when the cache holds what the processor has not seen.
    private func result(
        _ image: KFCrossPlatformImage,
        from type: CacheType,
        isProcessed: Bool = false
    ) async throws -> RetrieveImageResult {
        var image = image
        let options = request.options
        if !isProcessed, options.cacheSerializer.originalDataUsed, !request.identifier.isEmpty,
            !request.targetCache.holdsProcessedImage(key: request.key, options: options)
        {
            image = try await processing.image(of: .image(image), options: options)
        }
        image = await recreated(image)
        let delivered = options.imageModifier?.modify(image) ?? image
        let serializer = options.cacheSerializer
        return RetrieveImageResult(
            image: delivered,
            cacheType: type,
            source: request.source,
            originalSource: request.originalSource,
            data: { serializer.data(with: delivered, original: nil) }
        )
    }

    /// The image made again from its bytes, when it is an animation that was made with other
    /// creating options than those that are asked for now.
    private func recreated(_ image: KFCrossPlatformImage) async -> KFCrossPlatformImage {
        let options = request.options
        guard let count = image.kf.imageFrameCount, count != 1,
            let data = image.kf.gifRepresentation(),
            image.kf.creatingOptions != options.imageCreatingOptions
        else { return image }
        // A hit stays a hit: what the processor cannot make again is shown as an empty image.
        return (try? await processing.image(of: .data(data), options: options))
            ?? KFCrossPlatformImage()
    }
}
