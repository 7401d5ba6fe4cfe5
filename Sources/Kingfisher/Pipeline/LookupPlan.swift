/// An entry of a cache that a load may use.
struct CacheTarget: Sendable {
    let cache: ImageCache
    let key: String
    let entry: CacheEntryName
    let options: KingfisherParsedOptionsInfo

    /// Whether a load may decode the entry's bytes itself.
    ///
    /// Subclasses of the cache, custom serializers and synchronous reads return images instead.
    var isPlain: Bool {
        guard !cache.isSubclassed, !options.loadDiskFileSynchronously else { return false }
        let serializer = options.cacheSerializer
        return serializer is DefaultCacheSerializer
            || serializer is FormatIndicatedCacheSerializer
    }

    /// The first layer that has the entry.
    var cachedType: CacheType {
        guard cache.isSubclassed else { return cache.layer(of: entry, asksForFile: true) }
        return cache.imageCachedType(
            forKey: key,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension
        )
    }

    /// Whether the disk has the entry according to the index; opens the folder if it is not open.
    var isOnDisk: Bool {
        cache.isSubclassed ? cachedType.cached : cache.diskStorage.holds(entry)
    }

    /// The image in memory.
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
    enum Place {
        case memory, disk, shared
        /// An original, to make the image from.
        case originalInMemory, originalOnDisk, sharedOriginal

        fileprivate var isBeyondMemory: Bool { self != .memory && self != .originalInMemory }
    }

    private let request: LoadRequest
    private(set) var places: [Place] = [.memory, .disk, .shared]

    init(_ request: LoadRequest) {
        self.request = request
        if request.isForBytes {
            // Decoded images do not have the bytes.
            let stored = request.storesOriginal && request.originalTarget.isPlain
            places = stored ? [.memory, .disk, .shared] : [.memory]
        } else if request.hasSeparateOriginal {
            places += [.originalInMemory, .originalOnDisk, .sharedOriginal]
        }
        if !request.acceptsDisk { places.removeAll(where: \.isBeyondMemory) }
    }

    /// The image's entry on disk, which for a load of bytes is the original's.
    var stored: CacheTarget {
        request.isForBytes ? request.originalTarget : request.target
    }

    /// Whether memory may be used; the bytes there are removed with the original, also by another
    /// machine.
    var mayUseMemory: Bool {
        !request.isForBytes || !request.storesOriginal || request.originalTarget.isOnDisk
    }

    /// Whether memory or the disk has the image.
    var isStored: Bool {
        if request.isForBytes, request.storesOriginal {
            return places.contains(.disk) && stored.isOnDisk
        }
        let type = request.target.cachedType
        return places.contains(.disk) ? type.cached : type == .memory
    }

    /// Why a place of this machine does not have the image; nil if it does.
    func missReason(_ place: Place) -> CacheMissReason? {
        guard request.looksUp, places.contains(place) else { return .notAsked }
        return switch place {
        case .memory: request.target.memoryMissReason ?? (mayUseMemory ? nil : .evicted)
        case .disk: stored.diskMissReason
        case .originalInMemory: request.originalTarget.memoryMissReason
        case .originalOnDisk: request.originalTarget.diskMissReason
        case .shared, .sharedOriginal: .notAsked
        }
    }

    /// Why no original on this machine can be used; nil if one can.
    var originalMissReason: CacheMissReason? {
        let memory = missReason(.originalInMemory)
        guard memory != nil, places.contains(.originalOnDisk) else { return memory }
        return missReason(.originalOnDisk)
    }
}

extension LoadRequest {
    /// The expected course of this request.
    var explanation: LoadExplanation {
        let plan = LookupPlan(self)
        let memory = plan.missReason(.memory)
        let disk = plan.missReason(.disk)
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
        let target = plan.stored
        guard looksUp, plan.places.contains(.shared), target.entry.isShareable,
            let level = target.cache.sharing
        else { return nil }
        return level.isPaused ? .paused : .asked
    }

    /// The processors, and where each of them runs if bytes have to be decoded.
    private var steps: [LoadExplanation.Step] {
        let all = (options.processor as? ProcessorChain)?.steps ?? [options.processor]
        let known = options.isolated ? all.count - ProcessorCut(options.processor).here.count : 0
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
