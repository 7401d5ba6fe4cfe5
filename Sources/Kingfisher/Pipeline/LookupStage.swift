import Foundation

/// Finds an image in the caches: in memory, then on disk, then an original to make it from.
///
/// Each place is asked once. An entry on disk is found by the index and not read here, so it may
/// turn out to be gone or damaged; then ``next()`` goes on with the next place.
struct LookupStage {
    /// What the caches have.
    enum Finding {
        /// The image as it is wanted.
        case final(KFCrossPlatformImage, CacheType)
        /// The image, but its processor has to run before it is delivered.
        case unprocessed(KFCrossPlatformImage, CacheType)
        /// An entry on disk that is the image once it is decoded.
        case stored(StoredEntry)
        /// An image to make the wanted one from.
        case original(KFCrossPlatformImage)
        /// An entry on disk to make the image from.
        case storedOriginal(StoredEntry)
    }

    private enum Place {
        case memory, disk, originalInMemory, originalOnDisk
    }

    private let request: LoadRequest
    private var places: ArraySlice<Place> = [.memory, .disk]

    init(_ request: LoadRequest) {
        self.request = request
        if request.hasSeparateOriginal { places += [.originalInMemory, .originalOnDisk] }
        if !request.acceptsDisk { places.removeAll { $0 == .disk || $0 == .originalOnDisk } }
    }

    /// What the next place has that has anything; nil when no further place has.
    ///
    /// A memory hit is found without leaving the caller's thread. Cancellation does not turn a hit
    /// into a failure, since the image is there.
    mutating func next() async throws -> Finding? {
        while let place = places.popFirst() {
            if let finding = try await look(place) { return finding }
        }
        return nil
    }

    private func look(_ place: Place) async throws -> Finding? {
        let target = Target(
            cache: request.targetCache,
            entry: request.entry,
            options: request.options
        )
        let original = Target(
            cache: request.originalCache,
            entry: request.originalEntry,
            options: request.originalOptions
        )
        switch place {
        case .memory:
            return memory(of: target).map { finding($0, .memory) }
        case .disk:
            guard isKnown(target) else { return nil }
            guard !target.isPlain else { return storedTarget() }
            return try await disk(of: target).map { finding($0.image, $0.type) }
        case .originalInMemory:
            guard let image = memory(of: original) else { return nil }
            // One who went away meanwhile has no use for it.
            try request.checkWanted()
            return .original(image)
        case .originalOnDisk:
            guard isKnown(original) else { return nil }
            guard !original.isPlain else { return storedOriginal() }
            let image = try await disk(of: original)?.image
            try request.checkWanted()
            return image.map { .original($0) }
        }
    }

    /// A hit, which is processed again when the cache holds what the processor has not seen, or
    /// what it made with other creating options.
    private func finding(_ image: KFCrossPlatformImage, _ type: CacheType) -> Finding {
        let isRaw =
            request.storesRawBytes && !request.targetCache.holdsProcessedImage(request.entry)
        return isRaw || image.isAnimation(otherThan: request.options.imageCreatingOptions)
            ? .unprocessed(image, type) : .final(image, type)
    }

    // MARK: Entries that are decoded by the load

    private func storedTarget() -> Finding {
        let isRaw = request.storesRawBytes
        let isMade = isRaw && request.options.processor.prefersBytes
        return .stored(
            StoredEntry(
                cache: request.targetCache,
                entry: request.entry,
                options: isMade ? request.options : request.decodingOptions,
                tag: isRaw && !isMade ? ImageCache.Tag.unprocessed : ImageCache.Tag.processed,
                ignoresCancel: true
            )
        )
    }

    private func storedOriginal() -> Finding {
        let isMade = request.options.processor.prefersBytes
        return .storedOriginal(
            StoredEntry(
                cache: request.originalCache,
                entry: request.originalEntry,
                options: isMade ? request.options : request.decodingOptions,
                // What a processor made of the original is not the original.
                tag: isMade ? nil : ImageCache.Tag.processed,
                ignoresCancel: false
            )
        )
    }

    // MARK: Places

    /// What is looked for where.
    private struct Target {
        let cache: ImageCache
        let entry: CacheEntryName
        let options: KingfisherParsedOptionsInfo

        /// Whether a load may decode the entry's bytes itself: a subclass of the cache, a
        /// serializer of the program's own and a read on this thread give images.
        var isPlain: Bool {
            guard !cache.isSubclassed, !options.loadDiskFileSynchronously else { return false }
            let serializer = options.cacheSerializer
            return serializer is DefaultCacheSerializer
                || serializer is FormatIndicatedCacheSerializer
        }
    }

    private func memory(of target: Target) -> KFCrossPlatformImage? {
        target.cache.imageInMemory(key: request.key, entry: target.entry, target.options)
    }

    /// The image that the cache itself reads and decodes.
    private func disk(
        of target: Target
    ) async throws -> (image: KFCrossPlatformImage, type: CacheType)? {
        // A damaged or vanished file is a miss: the image is loaded again and stored anew.
        let found = try? await target.cache.lookUp(
            key: request.key,
            entry: target.entry,
            options: target.options,
            isStillWanted: request.isStillWanted
        )
        if let found, let image = found.image { return (image, found.cacheType) }
        // No caller waits for the image any more, so nothing is downloaded in its place.
        try request.checkWanted()
        return nil
    }

    /// The index answers without touching the disk, so a miss stays on the caller's thread.
    private func isKnown(_ target: Target) -> Bool {
        guard target.cache.isSubclassed else { return target.cache.diskStorage.holds(target.entry) }
        return target.cache.imageCachedType(
            forKey: request.key,
            processorIdentifier: target.options.processor.identifier,
            forcedExtension: target.options.forcedExtension
        ).cached
    }
}
