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

    /// What the disk has, without opening the folder.
    @inline(never)
    var onDisk: Answer {
        guard !cache.isSubclassed else {
            return cache.isOpen ? Answer(isThere: isInSubclass) : .notOpen
        }
        return Answer(cache.diskStorage.ask(entry))
    }

    /// What the disk has; opens the folder on a thread of the cache if necessary.
    ///
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func ask() async throws -> Answer {
        let answer = onDisk
        guard case .notOpen = answer else { return answer }
        return try await askOnOwnThread()
    }

    /// As above, always on a thread of the cache.
    ///
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func askOnOwnThread() async throws -> Answer {
        try await cache.probing {
            cache.isSubclassed
                ? Answer(isThere: isInSubclass) : Answer(cache.diskStorage.askOpening(entry))
        }
    }

    /// The answer of the disk, or of a subclass of the cache, which has no handles.
    enum Answer {
        case notOpen
        case absent
        case there(DiskHandle?)

        init(_ answer: DiskAnswer) {
            self =
                switch answer {
                case .notOpen: .notOpen
                case .absent: .absent
                case .entry(let handle): .there(handle)
                }
        }

        init(isThere: Bool) { self = isThere ? .there(nil) : .absent }

        var isThere: Bool { if case .there = self { true } else { false } }
    }

    private var isInSubclass: Bool {
        cache.imageCachedType(
            forKey: key,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension
        ).cached
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
        case .expired(let ago): .expired(.seconds(ago))
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
        case .expired(let ago): return .expired(.seconds(ago))
        case .evicted: return .evicted
        case .unknown: break
        }
        let others = store.identifiers(ofKey: key)
        return others.isEmpty ? .neverStored : .otherProcessor(others)
    }
}

/// The places where a load looks for its image, in order.
///
/// Loads, their explanations and prefetchers follow the same plan.
struct LookupPlan {
    /// A layer, and the entry that is looked for there.
    struct Place {
        enum Layer { case memory, disk, shared }

        let layer: Layer
        /// Whether it is the original's entry instead of the image's own.
        let isOriginal: Bool
    }

    private let request: LoadRequest
    /// Where the answer is looked for; for a load of bytes that is the original on disk.
    let own: [Place]
    /// Where an original is looked for, to make the image from.
    let originals: [Place]

    init(_ request: LoadRequest) {
        self.request = request
        let layers: [Place.Layer] = request.acceptsDisk ? [.memory, .disk, .shared] : [.memory]
        guard !request.isForBytes else {
            // Decoded images do not have the bytes.
            let isStored = request.storesOriginal && request.originalTarget.isPlain
            own = (isStored ? layers : [.memory]).map {
                Place(layer: $0, isOriginal: $0 != .memory)
            }
            originals = []
            return
        }
        own = layers.map { Place(layer: $0, isOriginal: false) }
        // Without the option no machine stores originals.
        let isShared = request.options.cacheOriginalImage
        originals =
            request.hasSeparateOriginal
            ? layers.filter { $0 != .shared || isShared }.map { Place(layer: $0, isOriginal: true) }
            : []
    }

    /// The entry of a place.
    func target(of place: Place) -> CacheTarget {
        CacheTarget(request: request, isOriginal: place.isOriginal)
    }

    /// The entry on disk without which memory may not be used: the bytes there are removed with the
    /// original, also by another machine.
    var conditionOfMemory: CacheTarget? {
        request.isForBytes && request.storesOriginal ? request.originalTarget : nil
    }

    /// Whether memory or the disk has the image, as far as is known without opening the folder.
    var isStored: Bool {
        let disk = own.first { $0.layer == .disk }.map { target(of: $0) }
        if disk?.isOriginal != true, request.target.isInMemory {
            return conditionOfMemory?.onDisk.isThere ?? true
        }
        return disk?.onDisk.isThere ?? false
    }

    /// Why a layer of this machine does not have the image; nil if it does.
    func missReason(_ layer: Place.Layer, in places: [Place]) -> CacheMissReason? {
        guard request.looksUp, let place = places.first(where: { $0.layer == layer }) else {
            return .notAsked
        }
        return switch layer {
        case .memory:
            target(of: place).memoryMissReason
                ?? (conditionOfMemory?.onDisk.isThere ?? true ? nil : .evicted)
        case .disk: target(of: place).diskMissReason
        case .shared: .notAsked
        }
    }

    /// Why no original on this machine can be used; nil if one can.
    var originalMissReason: CacheMissReason? {
        guard let memory = missReason(.memory, in: originals) else { return nil }
        let disk = missReason(.disk, in: originals)
        return disk == .notAsked ? memory : disk
    }
}

extension LoadRequest {
    /// The expected course of this request.
    var explanation: LoadExplanation {
        let plan = LookupPlan(self)
        let memory = plan.missReason(.memory, in: plan.own)
        let disk = plan.missReason(.disk, in: plan.own)
        let original = plan.originalMissReason
        return LoadExplanation(
            key: key,
            processor: identifier,
            memory: memory,
            disk: disk,
            original: original,
            sharedStorage: memory == nil || disk == nil ? nil : sharedStorage(plan),
            outcome: outcome(memory: memory, disk: disk, original: original),
            steps: steps
        )
    }

    private func sharedStorage(_ plan: LookupPlan) -> LoadExplanation.SharedStorage? {
        guard looksUp, let place = plan.own.first(where: { $0.layer == .shared }) else {
            return nil
        }
        let target = plan.target(of: place)
        guard target.entry.isShareable, let level = target.cache.sharing else { return nil }
        return level.isPaused ? .paused : .asked
    }

    /// The processors, and where each of them runs if bytes have to be decoded.
    private var steps: [LoadExplanation.Step] {
        let all = options.processor.steps
        let known = options.isolated ? all.count - ProcessorCut(options.processor).local.count : 0
        return all.enumerated().map { index, step in
            LoadExplanation.Step(
                processor: step.identifier,
                place: index < known ? .workerProcess : .thisProcess
            )
        }
    }

    private func outcome(
        memory: CacheMissReason?,
        disk: CacheMissReason?,
        original: CacheMissReason?
    ) -> LoadExplanation.Outcome {
        if memory == nil { return .cache(.memory) }
        if disk == nil { return .cache(.disk) }
        if original == nil { return .original }
        if options.onlyFromCache, looksUp { return .fails }
        return switch source {
        case .network: .download
        case .provider: .provider
        }
    }
}
