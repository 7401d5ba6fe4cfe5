public import Foundation

/// The flavours for `async` callers; each calls the one with a closure, so that a subclass that
/// overrides that one is asked here too.
extension ImageCache {
    /// Stores an image; returns when both layers have it.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer; memory has the image all the same.
    public func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await withCheckedThrowingContinuation { continuation in
            store(image, original: original, forKey: key, options: options, toDisk: toDisk) {
                continuation.resume(with: $0.diskCacheResult)
            }
        }
    }

    /// Stores an image with the pieces of the options given one by one.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer; memory has the image all the same.
    public func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            store(
                image,
                original: original,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                cacheSerializer: serializer,
                toDisk: toDisk
            ) { continuation.resume(with: $0.diskCacheResult) }
        }
    }

    /// Stores bytes on disk alone.
    ///
    /// - Throws: ``KingfisherError`` of the disk layer.
    public func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            storeToDisk(
                data,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                expiration: expiration
            ) { continuation.resume(with: $0.diskCacheResult) }
        }
    }

    /// Removes an image.
    ///
    /// - Throws: What the disk says, also when there is no such file.
    public func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true
    ) async throws {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        try await withCheckedThrowingContinuation { continuation in
            removeImage(entry, fromMemory: fromMemory, fromDisk: fromDisk) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Looks an image up in memory, then on disk.
    public func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: options)
    }

    /// Looks an image up in memory, then on disk, with a list of options.
    public func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await lookUp(key: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk alone; nil for a miss.
    public func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await withCheckedThrowingContinuation { continuation in
            retrieveImageInDiskCache(forKey: key, options: options) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Clears both layers.
    public func clearCache() async {
        await withCheckedContinuation { continuation in
            clearCache { continuation.resume() }
        }
    }

    /// Clears the disk.
    public func clearDiskCache() async {
        await withCheckedContinuation { continuation in
            clearDiskCache { continuation.resume() }
        }
    }

    /// Removes what has expired from both layers.
    public func cleanExpiredCache() async {
        await withCheckedContinuation { continuation in
            cleanExpiredCache { continuation.resume() }
        }
    }

    /// Removes what has expired from disk, and trims it to its size limit.
    public func cleanExpiredDiskCache() async {
        await withCheckedContinuation { continuation in
            cleanExpiredDiskCache { continuation.resume() }
        }
    }

    /// The bytes of all files on disk.
    public var diskStorageSize: UInt {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                calculateDiskStorageSize { continuation.resume(with: $0) }
            }
        }
    }
}
