import Foundation
import Synchronization

/// Sharing with other machines; not part of the original API.
extension ImageCache {
    /// Shares this cache with those of other machines through a storage such as Redis.
    ///
    /// Loads ask the storage after memory and disk missed, and before they download. An entry found
    /// there is decoded like an entry on disk, reported as ``CacheType/disk``, and stored in memory
    /// and on disk. Entries stored on disk are also sent to the storage, in the background.
    /// Machines that need the same image at the same time wait for the first one to make it.
    /// Removing an image removes it from the storage, and from memory and disk of the machines
    /// that are connected then. Clearing affects only this machine.
    ///
    /// The storage never makes a load fail. If it is slow or dead, loads continue without it; see
    /// ``SharedStorageSettings``. Lookups by the methods of this class do not ask it, except
    /// ``data(forKey:processorIdentifier:expiration:orMake:)``.
    ///
    /// Keys must mean the same image on all machines; images of local files are not shared, nor are
    /// those with keys of more than 8 KiB, such as `data:` URLs. With a transformer in the settings
    /// of ``diskStorage``, the storage gets only encrypted bytes, and all machines need the same
    /// transformer. Otherwise it gets images and messages with keys, so that its connection must be
    /// trusted.
    ///
    /// - Parameters:
    ///   - storage: The storage; nil to stop sharing.
    ///   - settings: Time-outs and limits.
    public func useSharedStorage(
        _ storage: (any SharedImageStorage)?,
        settings: SharedStorageSettings = SharedStorageSettings()
    ) {
        useSharedStorages(storage.map { [($0, settings)] } ?? [])
    }

    /// Shares this cache with those of other machines through several storages, such as Redis and a
    /// store of objects, which is slower and keeps entries for longer.
    ///
    /// An entry is sent to all of them. It is looked for in the first, then in the second and so on,
    /// and sent from there to those before. Each storage has its own settings, time-outs and pauses;
    /// leases and messages use the first alone. See ``useSharedStorage(_:settings:)``.
    ///
    /// - Parameter storages: The storages with their time-outs and limits, the fastest first; empty
    ///   to stop sharing.
    public func useSharedStorages(
        _ storages: [(storage: any SharedImageStorage, settings: SharedStorageSettings)]
    ) {
        let level = storages.reversed().reduce(nil as SharedLevel?) { next, level in
            SharedLevel(
                level.storage,
                settings: level.settings,
                memory: memoryStorage.store,
                disk: diskStorage,
                removals: removals,
                then: next
            )
        }
        level?.listen()
        let old = shared.level.withLock { current in
            defer { current = level }
            return current
        }
        // Released here, outside the lock.
        withExtendedLifetime(old) {}
    }

    /// The storage that this cache shares with other machines; of several, the first.
    public var sharedStorage: (any SharedImageStorage)? { sharing?.storage }

    /// The use of the shared storage, of several the first, by this cache; nil without a storage.
    public var sharedStorageStatistics: SharedStorageStatistics? { sharing?.statistics.first }

    /// The use of each shared storage by this cache, in their order.
    public var allSharedStorageStatistics: [SharedStorageStatistics] { sharing?.statistics ?? [] }

    /// Returns when the changes so far are on disk and were sent to the shared storage, or failed.
    public func flush() async {
        await withCheckedContinuation { done in
            diskStorage.queue.enqueueAlone { done.resume() }
        }
        await sharing?.flush()
    }

    var sharing: SharedLevel? { shared.level.withLock { $0 } }
}

/// A cache's level that machines share, and the files that it makes.
final class SharedSlot: Sendable {
    let level = Mutex<SharedLevel?>(nil)
    let files = JobTable<Making, (data: Data, cacheType: CacheType)>()

    init() {}

    /// Work on a file; a removal divides earlier work from later.
    struct Making: Hashable {
        let entry: CacheEntryName
        let epoch: Int
    }
}

extension SharedLevel {
    /// Sends an entry after it was stored on disk.
    ///
    /// If the disk failed, it is sent nevertheless, unless an existing entry was to be kept.
    func store(
        _ bytes: DiskWriteQueue.Bytes,
        of entry: CacheEntryName,
        expiration: StorageExpiration?,
        metadata: EntryMetadata?,
        after result: Result<Void, DiskStorage.Backend<Data>.QueueFailure>,
        replacing: Bool
    ) {
        if case .failure = result, !replacing { return }
        guard entry.isShareable, !isPaused, let data = bytes.data else { return }
        store(data, of: entry, expiration: expiration, metadata: metadata)
    }
}
