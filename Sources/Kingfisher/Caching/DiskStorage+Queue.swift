import Foundation

/// The asynchronous interface of the disk layer, for image caches.
extension DiskStorage.Backend<Data> {
    /// Why a queued store failed.
    enum QueueFailure: Error {
        /// There were no bytes to store.
        case unserializable
        case storage(KingfisherError)

        var kingfisherError: KingfisherError {
            switch self {
            case .storage(let error): error
            case .unserializable:
                .cacheError(
                    reason: .cannotSerializeImage(
                        image: nil,
                        original: nil,
                        serializer: DefaultCacheSerializer.default
                    )
                )
            }
        }
    }

    func fileName(of entry: CacheEntryName) -> String {
        config.naming.name(
            forKey: entry.computedKey,
            forcedExtension: entry.forcedExtension,
            digest: entry.digest
        )
    }

    func fileURL(of entry: CacheEntryName) -> URL {
        directoryURL.appendingPathComponent(fileName(of: entry), isDirectory: false)
    }

    /// Stores bytes asynchronously; with a version, unless the entry was changed since.
    func enqueue(
        _ bytes: DiskWriteQueue.Bytes,
        as entry: CacheEntryName,
        expiration: StorageExpiration?,
        writeOptions: Data.WritingOptions = [],
        metadata: EntryMetadata? = nil,
        ifUnchangedSince version: UInt32? = nil,
        completion: @escaping @Sendable (Result<Void, QueueFailure>) -> Void
    ) {
        queue.enqueueStore(
            bytes,
            named: fileName(of: entry),
            key: loggedKey(entry.computedKey, entry.digest),
            division: entry.division,
            expiration: expiration ?? config.expiration,
            replacing: !writeOptions.contains(.withoutOverwriting),
            metadata: metadata,
            ifUnchangedSince: version
        ) { [self] result in
            completion(
                result.mapError { error in
                    if case .nothingToWrite = error { return .unserializable }
                    let data = if case .ready(let data) = bytes { data } else { Data() }
                    let failure = storeError(
                        error,
                        key: entry.computedKey,
                        forcedExtension: entry.forcedExtension,
                        data: data
                    )
                    return .storage(failure)
                }
            )
        }
    }

    /// Looks for a valid entry, on disk or pending.
    func ask(_ entry: CacheEntryName, effort: DiskEffort = .index) -> DiskAnswer {
        disk.ask(fileName(of: entry), entry.division, effort: effort)
    }

    /// The bytes of an entry, on disk or pending.
    func contents(
        of entry: CacheEntryName,
        extending: ExpirationExtending
    ) throws(KingfisherError) -> DiskContents? {
        let name = fileName(of: entry)
        do throws(DiskError) {
            return try disk.read(name, entry.division, extending: extending)
        } catch {
            throw loadError(error, name: name)
        }
    }

    /// The bytes of an entry that was found; nil if it is gone by now.
    func contents(
        of handle: DiskHandle,
        extending: ExpirationExtending
    ) throws(KingfisherError) -> DiskContents? {
        do throws(DiskError) {
            return try disk.read(handle, extending: extending)
        } catch {
            throw loadError(error, name: handle.name)
        }
    }

    /// Removes an entry that cannot be decoded.
    func discard(_ entry: CacheEntryName) {
        store.discardDamaged(fileName(of: entry))
    }
}
