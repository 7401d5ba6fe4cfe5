import Foundation

/// Finds an image in the caches: memory, then disk, then an original to process.
struct LookupStage {
    /// What the caches have.
    enum Finding {
        case miss
        /// The image as it is wanted.
        case final(KFCrossPlatformImage, CacheType)
        /// The image, but its processor has to run before it is delivered.
        case unprocessed(KFCrossPlatformImage, CacheType)
        /// What the image can be made from.
        case original(KFCrossPlatformImage)
    }

    let request: LoadRequest

    /// Looks into memory, on disk, and for an original.
    ///
    /// A memory hit is found without leaving the caller's thread. Cancellation does not turn a hit
    /// into a failure, since the picture is there.
    func run() async throws -> Finding {
        let options = request.options
        let target = Target(cache: request.targetCache, entry: request.entry, options: options)
        if let image = memory(of: target) { return finding(image, .memory) }
        if request.acceptsDisk, let hit = try await disk(of: target) {
            return finding(hit.image, hit.type)
        }
        guard request.hasSeparateOriginal, let original = try await original() else { return .miss }
        return .original(original)
    }

    /// A hit, which is processed again when the cache holds what the processor has not seen, or
    /// what it made with other creating options.
    private func finding(_ image: KFCrossPlatformImage, _ type: CacheType) -> Finding {
        let options = request.options
        let isRaw =
            options.cacheSerializer.originalDataUsed && !request.identifier.isEmpty
            && !request.targetCache.holdsProcessedImage(request.entry)
        return isRaw || image.isAnimation(otherThan: options.imageCreatingOptions)
            ? .unprocessed(image, type) : .final(image, type)
    }

    /// What is looked for where.
    private struct Target {
        let cache: ImageCache
        let entry: CacheEntryName
        let options: KingfisherParsedOptionsInfo
    }

    private func memory(of target: Target) -> KFCrossPlatformImage? {
        target.cache.imageInMemory(key: request.key, entry: target.entry, target.options)
    }

    private func disk(
        of target: Target
    ) async throws -> (image: KFCrossPlatformImage, type: CacheType)? {
        guard isKnown(target) else { return nil }
        // A damaged or vanished file is a miss: the image is loaded again and stored anew.
        let found = try? await target.cache.lookUp(
            key: request.key,
            entry: target.entry,
            options: target.options,
            isStillWanted: request.isStillWanted
        )
        if let found, let image = found.image { return (image, found.cacheType) }
        // Nobody waits for the picture any more, so nothing is downloaded in its place.
        try request.checkWanted()
        return nil
    }

    /// The index answers without touching the disk, so a miss stays on the caller's thread.
    private func isKnown(_ target: Target) -> Bool {
        guard target.cache.isSubclassed else { return target.cache.layer(of: target.entry).cached }
        return target.cache.imageCachedType(
            forKey: request.key,
            processorIdentifier: target.options.processor.identifier,
            forcedExtension: target.options.forcedExtension
        ).cached
    }

    /// The cached original.
    private func original() async throws -> KFCrossPlatformImage? {
        let target = Target(
            cache: request.originalCache,
            entry: request.originalEntry,
            options: request.originalOptions
        )
        var image = memory(of: target)
        if image == nil {
            guard request.acceptsDisk, isKnown(target) else { return nil }
            image = try await storedOriginal(target)
        }
        // Found or damaged: one who went away meanwhile has no use for it, nor for a download.
        try request.checkWanted()
        return image
    }

    /// The original on disk, read and decoded once for all who ask for it at the same time.
    private func storedOriginal(_ target: Target) async throws -> KFCrossPlatformImage? {
        let (cache, options) = (target.cache, target.options)
        // What another serializer makes of the bytes, or a subclass of the key, is not known here.
        guard options.cacheSerializer is DefaultCacheSerializer, !cache.isSubclassed,
            !options.loadDiskFileSynchronously
        else { return try await disk(of: target)?.image }
        let key = ProcessingJobs.OriginalKey(
            cache: ObjectIdentifier(cache),
            file: cache.hash(forKey: request.key, forcedExtension: options.forcedExtension),
            decoding: JobGraph.Key(options)
        )
        let urgency = Urgency(options.downloadPriority)
        return try await request.processing.originals.value(for: key, urgency: urgency) { _ in
            // As above; and one who does not want it any more is asked afterwards.
            try? await cache.lookUp(key: request.key, entry: target.entry, options: options).image
        }
    }
}
