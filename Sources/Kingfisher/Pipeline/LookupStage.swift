import Foundation

/// Looks for an image in the caches: in memory, on disk, in the storage that machines share, and
/// then for an original to make it from.
///
/// Each place is consulted once. An entry on disk is found through the index and not read here, so
/// it may turn out to be missing or damaged; then ``next()`` continues with the next place.
struct LookupStage {
    /// What a place has.
    struct Finding {
        let material: Material
        /// Whether it is the original, of which the image is made and then stored.
        let isOriginal: Bool
    }

    enum Material {
        /// An image in memory, or one that the cache made itself.
        case image(KFCrossPlatformImage, CacheType)
        /// An entry on disk, whose bytes the load decodes.
        case entry(StoredEntry)
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

    private typealias Place = LookupPlan.Place

    private let request: LoadRequest
    private let task: DownloadTask
    private let plan: LookupPlan
    private var places: ArraySlice<Place>
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
        places = (plan.own + plan.originals)[...]
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
            if let material = try await look(place) {
                return Finding(material: material, isOriginal: place.isOriginal)
            }
        }
        return nil
    }

    private mutating func look(_ place: Place) async throws -> Material? {
        let target = plan.target(of: place)
        switch place.layer {
        case .memory:
            guard plan.mayUseMemory, let image = target.imageInMemory else { return nil }
            // The image is not made if it is no longer needed.
            if place.isOriginal { try request.checkWanted() }
            return .image(image, .memory)
        case .disk:
            isUnusableOnDisk = await isOnDisk(target)
            return isUnusableOnDisk ? try await material(of: target, place) : nil
        case .shared:
            guard let found = try await askShared(target) else { return nil }
            return try await material(of: target, place, shared: found.hit)
        }
    }

    /// The entry, or the image that the cache reads and decodes itself.
    private func material(
        of target: CacheTarget,
        _ place: Place,
        shared: SharedHit? = nil
    ) async throws -> Material? {
        guard !target.isPlain else {
            return .entry(StoredEntry(target, isOriginal: place.isOriginal, request, shared))
        }
        // A damaged or missing file is a miss: the image is loaded and stored again. An entry of the
        // shared storage is pending for the disk, where the cache reads it.
        let found = try? await target.cache.lookUp(
            key: target.key,
            entry: target.entry,
            options: target.options,
            isStillWanted: request.isStillWanted
        )
        guard let found, let image = found.image else {
            // If the image is no longer needed, nothing is downloaded.
            try request.checkWanted()
            return nil
        }
        if place.isOriginal { try request.checkWanted() }
        return .image(image, found.cacheType)
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
