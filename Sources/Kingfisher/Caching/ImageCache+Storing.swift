import Foundation
import Pixels

extension ImageCache {
    /// Stores an image in memory now, and on disk asynchronously.
    func keep(
        _ image: KFCrossPlatformImage,
        _ original: Data?,
        key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool,
        completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        let entry = CacheEntryName(key: key, options: options)
        let metadata = ArrivingRecord.current?.metadata(for: entry, image, in: self)
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
        expiration: StorageExpiration?,
        completion: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        let metadata = ArrivingRecord.current?.metadata(for: entry, nil, in: self)
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
