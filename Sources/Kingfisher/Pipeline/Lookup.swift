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

    private let request: LoadRequest
    private let task: DownloadTask
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
        places = request.places[...]
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
        let target = request.target(of: place)
        switch place.layer {
        case .memory:
            if let condition = request.conditionOfMemory,
                !(try await condition.ask(for: task).isThere)
            {
                return nil
            }
            guard let image = target.imageInMemory else { return nil }
            // The image is not made if it is no longer needed.
            if place.isOriginal { try request.checkWanted() }
            return .cached(image, .memory, isOriginal: place.isOriginal)
        case .disk:
            guard case .entry(let handle) = try await target.ask(for: task) else {
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
            && allowsSource
    }
}

/// A layer of a cache, and the entry that is looked for there.
struct Place: Sendable {
    enum Layer { case memory, disk, shared }

    let layer: Layer
    /// Whether it is the original's entry instead of the image's own.
    let isOriginal: Bool

    private init(_ layer: Layer, isOriginal: Bool = false) {
        (self.layer, self.isOriginal) = (layer, isOriginal)
    }

    // Each kind of request has an array, so that none is made by a load.
    fileprivate static let memory = [Place(.memory)]
    fileprivate static let image = [Place(.memory), Place(.disk), Place(.shared)]
    fileprivate static let memoryOfBoth = memory + [Place(.memory, isOriginal: true)]
    fileprivate static let imageOrOriginal =
        image + [Place(.memory, isOriginal: true), Place(.disk, isOriginal: true)]
    fileprivate static let imageOrSharedOriginal =
        imageOrOriginal + [Place(.shared, isOriginal: true)]
    /// Decoded images do not have the bytes of their files.
    fileprivate static let bytes =
        memory + [Place(.disk, isOriginal: true), Place(.shared, isOriginal: true)]
}

extension LoadRequest {
    /// The places where the load looks, in order; its explanation and prefetchers follow them, too.
    var places: [Place] {
        if isForBytes {
            let isOnDisk = acceptsDisk && storesOriginal && originalTarget.isPlain
            return isOnDisk ? Place.bytes : Place.memory
        }
        guard hasSeparateOriginal else { return acceptsDisk ? Place.image : Place.memory }
        guard acceptsDisk else { return Place.memoryOfBoth }
        // Without the option no machine stores originals.
        return options.cacheOriginalImage ? Place.imageOrSharedOriginal : Place.imageOrOriginal
    }

    /// Whether memory or the disk has the image by now, as far as is known without opening the
    /// folder: another load may have stored it since the lookup.
    var isStored: Bool {
        let disk = places.first { $0.layer == .disk }.map { target(of: $0) }
        if disk?.isOriginal != true, target.isInMemory {
            return conditionOfMemory?.ask(effort: .index).isThere ?? true
        }
        return disk?.ask(effort: .index).isThere ?? false
    }

    /// The entry of a place.
    func target(of place: Place) -> CacheTarget {
        place.isOriginal ? originalTarget : target
    }

    /// The entry on disk without which memory may not be used: the bytes there are removed with the
    /// original, also by another machine.
    fileprivate var conditionOfMemory: CacheTarget? {
        isForBytes && storesOriginal ? originalTarget : nil
    }

    /// Why a place of this machine does not have its entry; nil if it does.
    func missReason(at place: Place) -> CacheMissReason? {
        switch place.layer {
        case .memory:
            target(of: place).memoryMissReason
                ?? (conditionOfMemory?.ask(effort: .index).isThere ?? true ? nil : .evicted)
        case .disk: target(of: place).diskMissReason
        case .shared: .notAsked
        }
    }
}

/// An entry of a cache that a load may use: its image, or the original of it.
///
/// What copies the options is not inlined, because it would take room in each suspended lookup.
struct CacheTarget: Sendable {
    let request: LoadRequest
    let isOriginal: Bool

    var cache: ImageCache { isOriginal ? request.originalCache : request.targetCache }
    var key: String { request.key }
    var entry: CacheEntryName { isOriginal ? request.originalEntry : request.entry }
    var options: KingfisherParsedOptionsInfo {
        isOriginal ? request.originalOptions : request.options
    }

    /// Whether a load may decode the entry's bytes itself.
    ///
    /// Subclasses of the cache and synchronous reads return images instead. From an original an
    /// image is made asynchronously in any case.
    var isPlain: Bool {
        !cache.isSubclassed && (isOriginal || !request.options.loadDiskFileSynchronously)
    }

    /// Whether memory has the image; a subclass of the cache decides by its lookup.
    var isInMemory: Bool {
        cache.isSubclassed
            ? imageInMemory != nil : cache.memoryStorage.store.contains(entry.memoryKey)
    }

    /// What the disk has; a subclass of the cache decides by its method.
    @inline(never)
    func ask(effort: DiskEffort) -> DiskAnswer {
        guard cache.isSubclassed else { return cache.diskStorage.ask(entry, effort: effort) }
        guard effort > .index || cache.isOpen else { return .notOpen }
        let layer = cache.imageCachedType(
            forKey: key,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension
        )
        return DiskAnswer(isThere: layer.cached)
    }

    /// What the disk has; asks on a thread of the cache if the answer may have to wait, or if the
    /// options say so.
    ///
    /// - Parameters:
    ///   - task: The task of the load, which is attached before the wait.
    ///   - effort: At least `folder`.
    /// - Returns: The entry or `absent`.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    @inline(never)
    func ask(for task: DownloadTask?, effort: DiskEffort = .folder) async throws -> DiskAnswer {
        if !request.options.asyncCacheTypeCheck {
            let answer = ask(effort: .index)
            switch answer {
            case .absent, .entry(nil): return answer
            case .entry where effort < .file: return answer
            case .entry, .notOpen: break
            }
        }
        task?.attachLookup(for: request.source)
        return try await cache.probing { ask(effort: effort) }
    }

    /// The image in memory.
    @inline(never)
    var imageInMemory: KFCrossPlatformImage? {
        cache.imageInMemory(key: key, entry: entry, options)
    }

    /// Why memory does not have the image; nil if it does.
    var memoryMissReason: CacheMissReason? {
        switch cache.memoryStorage.store.finding(for: entry.memoryKey) {
        case .valid: nil
        case .expired(let ago): .expired(ago: ago)
        case .evicted: .evicted
        case .unknown: .neverStored
        }
    }

    /// Why the disk does not have the image; nil if it does.
    ///
    /// - Complexity: O(entries) for an unknown key, to find it under other processors.
    var diskMissReason: CacheMissReason? {
        let store = cache.diskStorage.store
        switch store.finding(for: cache.diskStorage.fileName(of: entry), entry.division) {
        case .valid: return nil
        case .expired(let ago): return .expired(ago: ago)
        case .evicted: return .evicted
        case .unknown: break
        }
        let others = store.identifiers(ofKey: key)
        return others.isEmpty ? .neverStored : .otherProcessor(others)
    }

    /// Whether machines share the entry, and how; nil if they do not.
    var sharedStorage: LoadExplanation.SharedStorage? {
        guard entry.isShareable, let level = cache.sharing else { return nil }
        return level.isPaused ? .paused : .asked
    }
}
