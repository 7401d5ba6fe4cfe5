import Foundation

/// Looks for an image in the caches: in memory, on disk, in the storage that machines share, and
/// then for an original to make it from.
///
/// Each place is consulted once. An entry on disk is found through the index and not read here, so
/// it may turn out to be missing or damaged; then ``next()`` continues with the next place.
struct LookupStage {
    /// The result of the lookup.
    enum Finding {
        /// The final image.
        case final(KFCrossPlatformImage, CacheType)
        /// The image before its processor, which must run first.
        case unprocessed(KFCrossPlatformImage, CacheType)
        /// An entry on disk that decodes to the image.
        case stored(StoredEntry)
        /// An image to make the final one from.
        case original(KFCrossPlatformImage)
        /// An entry on disk to make the final image from.
        case storedOriginal(StoredEntry)
    }

    /// The outcome of the request to the shared storage.
    struct SharedAnswer {
        let answer: SharedStorageAnswer
        let duration: Duration
    }

    /// An entry that the shared storage has, or that this machine's disk has by now.
    private struct Found {
        let hit: SharedHit?
    }

    private let request: LoadRequest
    private let task: DownloadTask
    private let plan: LookupPlan
    private var places: ArraySlice<LookupPlan.Place>
    /// The answers of the shared storage since they were taken.
    private var answers: [SharedAnswer] = []
    /// Whether the place before was an entry on disk, which was then unusable.
    private var isUnusableOnDisk = false
    /// Whether the shared storage can be asked again for this load.
    private(set) var isSharing = true

    init(_ request: LoadRequest, _ task: DownloadTask) {
        self.request = request
        self.task = task
        plan = LookupPlan(request)
        places = plan.places[...]
    }

    /// Returns the answers of the shared storage since the last call.
    mutating func takeAnswers() -> [SharedAnswer] {
        defer { answers = [] }
        return answers
    }

    /// Returns the finding of the next place that has one; nil if there is none.
    ///
    /// A memory hit is found without leaving the caller's thread. A hit is returned even if the
    /// task is cancelled.
    mutating func next() async throws -> Finding? {
        while let place = places.popFirst() {
            if let finding = try await look(place) { return finding }
        }
        return nil
    }

    private mutating func look(_ place: LookupPlan.Place) async throws -> Finding? {
        switch place {
        case .memory:
            guard plan.mayUseMemory else { return nil }
            return request.target.imageInMemory.map { finding($0, .memory) }
        case .disk:
            let target = plan.stored
            isUnusableOnDisk = await isOnDisk(target)
            guard isUnusableOnDisk else { return nil }
            guard !target.isPlain else { return storedTarget() }
            return try await disk(of: target).map { finding($0.image, $0.type) }
        case .shared:
            let target = plan.stored
            guard let found = try await askShared(target) else { return nil }
            guard !target.isPlain else { return storedTarget(found.hit) }
            // The entry is pending for the disk, where the cache reads it.
            return try await disk(of: target).map { finding($0.image, $0.type) }
        case .originalInMemory:
            guard let image = request.originalTarget.imageInMemory else { return nil }
            // The image is not made if it is no longer needed.
            try request.checkWanted()
            return .original(image)
        case .originalOnDisk:
            let original = request.originalTarget
            isUnusableOnDisk = await isOnDisk(original)
            guard isUnusableOnDisk else { return nil }
            guard !original.isPlain else { return storedOriginal() }
            return try await originalOnDisk(original)
        case .sharedOriginal:
            // Without the option no machine stores originals.
            guard request.options.cacheOriginalImage else { return nil }
            let original = request.originalTarget
            guard let found = try await askShared(original) else { return nil }
            guard !original.isPlain else { return storedOriginal(found.hit) }
            return try await originalOnDisk(original)
        }
    }

    /// Whether the disk has an entry; on another thread if the options say so, or if the folder must
    /// be opened first.
    private func isOnDisk(_ target: CacheTarget) async -> Bool {
        let options = request.options
        let isHere = target.cache.isOpen || options.loadDiskFileSynchronously
        guard options.asyncCacheTypeCheck || !isHere else { return target.isOnDisk }
        task.attachLookup()
        return await target.cache.probing { target.isOnDisk }
    }

    private func originalOnDisk(_ original: CacheTarget) async throws -> Finding? {
        let image = try await disk(of: original)?.image
        try request.checkWanted()
        return image.map { .original($0) }
    }

    /// Asks the shared storage for an entry, unless it did not answer this load before.
    private mutating func askShared(_ target: CacheTarget) async throws -> Found? {
        guard isSharing, let level = target.cache.sharing, target.entry.isShareable else {
            return nil
        }
        let start = ContinuousClock.now
        let finding = try await level.find(target.entry, checksDisk: !isUnusableOnDisk)
        // If the image is no longer needed, nothing is downloaded.
        try request.checkWanted()
        let took = ContinuousClock.now - start
        switch finding {
        case .hit(let hit):
            if hit != nil { answers.append(SharedAnswer(answer: .hit, duration: took)) }
            return Found(hit: hit)
        case .miss:
            answers.append(SharedAnswer(answer: .miss, duration: took))
        case .unavailable:
            isSharing = false
            answers.append(SharedAnswer(answer: .unavailable, duration: took))
        }
        return nil
    }

    private func finding(_ image: KFCrossPlatformImage, _ type: CacheType) -> Finding {
        request.isFinal(image) ? .final(image, type) : .unprocessed(image, type)
    }

    // MARK: Entries that are decoded by the load

    private func storedTarget(_ shared: SharedHit? = nil) -> Finding {
        guard !request.isForBytes else { return storedOriginal(shared) }
        let isRaw = request.storesRawBytes
        let isMade = isRaw && request.options.processor.prefersBytes
        return .stored(
            StoredEntry(
                cache: request.targetCache,
                entry: request.entry,
                options: isMade ? request.options : request.decodingOptions,
                tag: isRaw && !isMade ? ImageCache.Tag.unprocessed : ImageCache.Tag.processed,
                ignoresCancel: true,
                shared: shared
            )
        )
    }

    private func storedOriginal(_ shared: SharedHit? = nil) -> Finding {
        let isMade = request.options.processor.prefersBytes
        return .storedOriginal(
            StoredEntry(
                cache: request.originalCache,
                entry: request.originalEntry,
                options: isMade ? request.options : request.decodingOptions,
                // The result of the processor must not be stored in place of the original.
                tag: isMade ? nil : ImageCache.Tag.processed,
                ignoresCancel: false,
                shared: shared
            )
        )
    }

    /// The image that the cache reads and decodes itself.
    private func disk(
        of target: CacheTarget
    ) async throws -> (image: KFCrossPlatformImage, type: CacheType)? {
        // A damaged or missing file is a miss: the image is loaded and stored again.
        let found = try? await target.cache.lookUp(
            key: target.key,
            entry: target.entry,
            options: target.options,
            isStillWanted: request.isStillWanted
        )
        if let found, let image = found.image { return (image, found.cacheType) }
        // If the image is no longer needed, nothing is downloaded.
        try request.checkWanted()
        return nil
    }
}

extension LoadRequest {
    /// Whether the image in memory is the answer, whatever else the caches and the server have.
    var isPlainLookup: Bool {
        looksUp && !isForBytes && !options.httpCaching && !targetCache.isSubclassed
            && (try? source.check(against: sourcePolicy(for: source))) != nil
    }

    /// Whether a cached image is the one that the load wants.
    ///
    /// It must be processed if the cache stores unprocessed images, or if it was made with other
    /// creating options.
    func isFinal(_ image: KFCrossPlatformImage) -> Bool {
        let isRaw = storesRawBytes && !targetCache.holdsProcessedImage(entry)
        return !isRaw && !image.isAnimation(otherThan: options.imageCreatingOptions)
    }
}
