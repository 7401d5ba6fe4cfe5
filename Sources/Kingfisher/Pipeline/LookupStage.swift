import Foundation

/// Looks for an image in the caches: in memory, on disk, in the storage that machines share, and
/// then for an original to make it from.
///
/// Each place is consulted once. An entry on disk is found through the index and not read here, so
/// it may turn out to be missing or damaged; then ``next(_:)`` continues with the next place.
///
/// What most loads do not reach is not inlined: the memory that a task took for its largest function
/// stays with it while it waits for the network.
struct LookupStage {
    /// An entry that the shared storage has, or that this machine's disk has by now.
    private struct Found {
        let hit: SharedHit?
    }

    private typealias Place = LookupPlan.Place

    private let request: LoadRequest
    private let task: DownloadTask
    private let plan: LookupPlan
    private var places: ArraySlice<Place>
    /// Whether the place before was an entry on disk, which was then unusable.
    private var isUnusableOnDisk = false
    /// Why a cache that reads its images itself could not read one.
    private(set) var readError: KingfisherError?
    /// Whether the shared storage can be asked again for this load.
    private(set) var isSharing = true

    init(_ request: LoadRequest, _ task: DownloadTask) {
        self.request = request
        self.task = task
        plan = LookupPlan(request)
        places = (plan.own + plan.originals)[...]
    }

    /// Returns what the next place has that has anything; nil if none has.
    ///
    /// A memory hit is found without leaving the caller's thread. A hit is returned even if the
    /// task is cancelled.
    @inline(never)
    mutating func next(_ trace: inout LoadTrace) async throws -> Material? {
        while let place = places.popFirst() {
            if let material = try await look(place, &trace) { return material }
        }
        return nil
    }

    private mutating func look(
        _ place: Place,
        _ trace: inout LoadTrace
    ) async throws -> Material? {
        let target = plan.target(of: place)
        switch place.layer {
        case .memory:
            if let condition = plan.conditionOfMemory, !(try await ask(condition).isThere) {
                return nil
            }
            guard let image = target.imageInMemory else { return nil }
            // The image is not made if it is no longer needed.
            if place.isOriginal { try request.checkWanted() }
            return .cached(image, .memory, isOriginal: place.isOriginal)
        case .disk:
            guard case .there(let handle) = try await ask(target) else {
                isUnusableOnDisk = false
                return nil
            }
            isUnusableOnDisk = true
            return try await material(of: target, handle)
        case .shared:
            guard let found = try await askShared(target, &trace) else { return nil }
            return try await material(of: target, shared: found.hit)
        }
    }

    /// The entry, or the image that the cache reads and decodes itself.
    @inline(never)
    private mutating func material(
        of target: CacheTarget,
        _ handle: DiskHandle? = nil,
        shared: SharedHit? = nil
    ) async throws -> Material? {
        guard !target.isPlain else {
            return .entry(StoredEntry(target, handle, shared))
        }
        // A damaged or missing file is a miss: the image is loaded and stored again. An entry of the
        // shared storage is pending for the disk, where the cache reads it.
        var found: ImageCacheResult?
        do {
            found = try await target.cache.lookUp(
                key: target.key,
                entry: target.entry,
                options: target.options,
                isStillWanted: request.isStillWanted
            )
        } catch {
            readError = error as? KingfisherError
        }
        guard let found, let image = found.image else {
            // If the image is no longer needed, nothing is downloaded.
            try request.checkWanted()
            return nil
        }
        if target.isOriginal { try request.checkWanted() }
        return .cached(image, found.cacheType, isOriginal: target.isOriginal)
    }

    /// Asks the disk for an entry; on another thread if the options say so, or if the folder must be
    /// opened first.
    @inline(never)
    private func ask(_ target: CacheTarget) async throws -> CacheTarget.Answer {
        if !request.options.asyncCacheTypeCheck {
            let answer = target.onDisk
            guard case .notOpen = answer else { return answer }
        }
        task.attachLookup(for: request.source)
        return try await target.askOnOwnThread()
    }

    /// Asks the shared storage for an entry, unless it did not answer this load before.
    @inline(never)
    private mutating func askShared(
        _ target: CacheTarget,
        _ trace: inout LoadTrace
    ) async throws -> Found? {
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
            if hit != nil { trace.record(.hit, took) }
            return Found(hit: hit)
        case .miss:
            trace.record(.miss, took)
        case .unavailable:
            isSharing = false
            trace.record(.unavailable, took)
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
}
