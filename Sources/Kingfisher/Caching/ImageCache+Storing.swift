import Foundation
import KFPixels

extension ImageCache {
    /// Stores an entry, unless it was removed since its load began.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - mark: The removals when the load began.
    ///   - gate: Opened if nothing is stored.
    ///   - put: Stores the entry.
    func store(
        _ entry: CacheEntryName,
        since mark: RemovalMark,
        _ gate: Gate,
        _ put: () -> Void
    ) {
        // Overrides of a subclass may remove the entry themselves.
        if isSubclassed, !mark.isRemoved { return put() }
        switch mark.store(put) {
        case .made: break
        case .refused: gate.open()
        case .overtaken: undoStore(of: entry)
        }
    }

    /// Stores the image of a load: in memory now, and on disk asynchronously.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known.
    ///   - key: The key of the source, for subclasses.
    ///   - entry: The name of the entry.
    ///   - record: The record of the response with the image, if HTTP caching applies.
    ///   - options: Serializer, expirations and write options are used.
    ///   - toDisk: Whether the image is stored on disk too.
    ///   - completion: Called on any thread when the image is stored.
    func put(
        _ image: KFCrossPlatformImage,
        _ original: Data?,
        key: String,
        as entry: CacheEntryName,
        _ record: HTTPRecord?,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool,
        completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        guard isSubclassed else {
            let metadata = metadata(record, of: entry)
            return keep(image, original, as: entry, metadata, options, toDisk, completion)
        }
        var options = options
        options.callbackQueue = .untouch
        let once = OnceCompletion(ifReleased: { [self] in unreported(entry) }, completion)
        ArrivingRecord.with(record, of: entry, image) {
            store(
                image,
                original: original,
                forKey: key,
                options: options,
                toDisk: toDisk,
                completionHandler: { once($0) }
            )
        }
    }

    /// Stores the bytes of a load on disk asynchronously.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - key: The key of the source, for subclasses.
    ///   - identifier: The identifier in the name, for subclasses.
    ///   - entry: The name of the entry.
    ///   - record: The record of the response with the bytes, if HTTP caching applies.
    ///   - expiration: When the file expires; nil for the expiration of the storage.
    ///   - completion: Called on any thread when the bytes are stored.
    func put(
        _ data: Data,
        key: String,
        _ identifier: String,
        as entry: CacheEntryName,
        _ record: HTTPRecord?,
        expiration: StorageExpiration?,
        completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        guard isSubclassed else {
            let metadata = metadata(record, of: entry)
            return keep(data, as: entry, metadata, expiration: expiration, completion: completion)
        }
        let once = OnceCompletion(ifReleased: { [self] in unreported(entry) }, completion)
        ArrivingRecord.with(record, of: entry, nil) {
            storeToDisk(
                data,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: entry.forcedExtension,
                expiration: expiration,
                callbackQueue: .untouch,
                completionHandler: { once($0) }
            )
        }
    }

    /// Stores an image in memory now, and on disk asynchronously.
    func keep(
        _ image: KFCrossPlatformImage,
        _ original: Data?,
        as entry: CacheEntryName,
        _ metadata: EntryMetadata?,
        _ options: KingfisherParsedOptionsInfo,
        _ toDisk: Bool,
        _ completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        memoryStorage.store.store(
            image,
            for: entry.memoryKey,
            cost: image.cacheCost,
            note: metadata,
            expiration: options.memoryCacheExpiration ?? memoryStorage.config.expiration
        )
        guard toDisk else { return completion(CacheStoreResult(disk: .success(()))) }
        let serializer = options.cacheSerializer
        let bytes = Self.bytes(of: image, original, serializer)
        diskStorage.enqueue(
            bytes,
            as: entry,
            expiration: options.diskCacheExpiration,
            writeOptions: options.diskStoreWriteOptions,
            metadata: metadata
        ) { [sharing] result in
            sharing?.store(
                bytes,
                of: entry,
                expiration: options.diskCacheExpiration,
                metadata: metadata,
                after: result,
                replacing: !options.diskStoreWriteOptions.contains(.withoutOverwriting)
            )
            let result = result.mapError { error -> KingfisherError in
                guard case .unserializable = error else { return error.kingfisherError }
                let reason = KingfisherError.CacheErrorReason.cannotSerializeImage(
                    image: image,
                    original: original,
                    serializer: serializer
                )
                return .cacheError(reason: reason)
            }
            completion(CacheStoreResult(disk: result))
        }
    }

    private static func bytes(
        of image: KFCrossPlatformImage,
        _ original: Data?,
        _ serializer: any CacheSerializer
    ) -> DiskWriteQueue.Bytes {
        if let original, serializer is OriginalBytesSerializer { return .ready(original) }
        // An encoded image is smaller than its pixels; photos take about a tenth.
        return .made(estimate: original?.count ?? image.cacheCost / 10) {
            serializer.data(with: image, original: original)
        }
    }

    /// Stores bytes on disk asynchronously.
    func keep(
        _ data: Data,
        as entry: CacheEntryName,
        _ metadata: EntryMetadata?,
        expiration: StorageExpiration?,
        completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        diskStorage.enqueue(
            .ready(data),
            as: entry,
            expiration: expiration,
            metadata: metadata
        ) { [sharing] result in
            sharing?.store(
                .ready(data),
                of: entry,
                expiration: expiration,
                metadata: metadata,
                after: result,
                replacing: true
            )
            completion(CacheStoreResult(disk: result.mapError(\.kingfisherError)))
        }
    }

    static func options(
        _ identifier: String,
        _ forcedExtension: String?,
        _ serializer: any CacheSerializer,
        _ queue: CallbackQueue
    ) -> KingfisherParsedOptionsInfo {
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = IdentifierOnlyProcessor(identifier: identifier)
        options.forcedExtension = forcedExtension
        options.cacheSerializer = serializer
        options.callbackQueue = queue
        return options
    }
}

extension CacheStoreResult {
    fileprivate init(disk: Result<(), KingfisherError>) {
        self.init(memoryCacheResult: .success(()), diskCacheResult: disk)
    }
}

/// A processor of which only the identifier is known.
private struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension KFCrossPlatformImage: CacheCostCalculable {
    /// The size of the image's pixels in bytes; for a preloaded animation, of its distinct frames,
    /// and for an image without pixels, of its file.
    public var cacheCost: Int {
        guard let images else {
            return bitmap?.byteCount ?? kf.gifRepresentation()?.count ?? 0
        }
        return Set(images).reduce(0) { $0 + ($1.bitmap?.byteCount ?? 0) }
    }
}
