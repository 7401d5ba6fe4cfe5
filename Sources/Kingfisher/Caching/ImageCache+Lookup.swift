import Foundation

extension ImageCache {
    /// What memory remembers of an image besides its pixels.
    enum Tag {
        /// The image is final.
        static let processed: UInt8 = 0
        /// The image was read from original bytes, and its processor has not run.
        static let unprocessed: UInt8 = 1
    }

    /// Looks an image up in both layers.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - options: As for the closure flavour.
    ///   - isStillWanted: Asked before each step of a disk read; a read that nobody wants any more
    ///     gives `.none` and leaves memory alone. A subclass that overrides the lookup is not
    ///     interrupted.
    /// - Returns: The image and its layer, or `.none`.
    /// - Throws: ``KingfisherError`` of the disk.
    func lookUp(
        key: String,
        options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) async throws -> ImageCacheResult {
        try await withCheckedThrowingContinuation { continuation in
            if type(of: self) == ImageCache.self {
                lookUp(
                    key: key,
                    options: options,
                    isStillWanted: isStillWanted,
                    callbackQueue: .untouch,
                    completion: { continuation.resume(with: $0) }
                )
            } else {
                retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                    continuation.resume(with: $0)
                }
            }
        }
    }

    func lookUp(
        key: String,
        options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)?,
        callbackQueue: CallbackQueue,
        completion: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) {
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            callbackQueue.execute { completion(.success(.memory(image))) }
            return
        }
        guard !options.fromMemoryCacheOrRefresh else {
            callbackQueue.execute { completion(.success(.none)) }
            return
        }
        readDisk(forKey: key, options: options, isStillWanted: isStillWanted) { [self] result in
            let outcome = result.map { image -> ImageCacheResult in
                guard let image else { return .none }
                promote(image, key: key, options: options)
                return .disk(image)
            }
            callbackQueue.execute { completion(outcome) }
        }
    }

    /// Whether the image in memory is final; false when memory has none.
    func holdsProcessedImage(key: String, options: KingfisherParsedOptionsInfo) -> Bool {
        let entry = CacheEntryName(key: key, options: options)
        return memoryStorage.store.hit(for: CacheKey(entry.computedKey), extending: .none)?.tag
            == Tag.processed
    }

    /// Puts an image that was read from disk into memory.
    func promote(
        _ image: KFCrossPlatformImage,
        key: String,
        options: KingfisherParsedOptionsInfo
    ) {
        let entry = CacheEntryName(key: key, options: options)
        let isOriginal =
            options.cacheSerializer.originalDataUsed && !options.processor.identifier.isEmpty
        memoryStorage.store.store(
            image,
            for: CacheKey(entry.computedKey),
            cost: image.cacheCost,
            tag: isOriginal ? Tag.unprocessed : Tag.processed,
            expiration: options.memoryCacheExpiration ?? memoryStorage.config.expiration
        )
    }

    /// Reads and decodes a file of the disk layer.
    ///
    /// Bytes that the serializer cannot decode are a miss, and are removed, so that they do not
    /// block their key until they expire.
    func readDisk(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)? = nil,
        completion: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let entry = CacheEntryName(key: key, options: options)
        let isWanted = isStillWanted ?? { true }
        let read: @Sendable () -> Void = { [diskStorage] in
            guard isWanted() else { return completion(.success(nil)) }
            do throws(KingfisherError) {
                let data = try diskStorage.bytes(
                    of: entry,
                    extending: options.diskCacheAccessExtendingExpiration
                )
                guard isWanted() else { return completion(.success(nil)) }
                let image = data.flatMap {
                    options.cacheSerializer.image(with: $0, options: options)
                }
                if data != nil, image == nil {
                    diskStorage.discard(entry)
                    Log.warning("A cached file is no picture, and was removed.", key: key)
                }
                completion(.success(isWanted() ? image : nil))
            } catch {
                completion(.failure(error))
            }
        }
        if options.loadDiskFileSynchronously {
            read()
        } else {
            reader.submit(priority: options.downloadPriority, read)
        }
    }
}
