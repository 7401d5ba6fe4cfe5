import Foundation

extension ImageCache {
    /// Removes an entry, and reports the disk's error.
    func remove(
        _ entry: CacheEntryName,
        fromMemory: Bool,
        fromDisk: Bool,
        completion: @escaping @Sendable (Result<(), any Error>) -> Void
    ) {
        if fromMemory { memoryStorage.store.remove(entry.memoryKey) }
        guard fromDisk else {
            completion(.success(()))
            return
        }
        diskStorage.queue.enqueueRemoval(of: diskStorage.fileName(of: entry)) { result in
            completion(result.mapError { $0 })
        }
    }

    func clearDisk(then handler: (@Sendable () -> Void)?) {
        httpRecords.removeAll()
        diskStorage.queue.enqueueAlone { [diskStorage] in
            // The contract of this method: what cannot be removed stays, and the handler is called.
            try? diskStorage.removeAll()
            if let handler { DispatchQueue.main.async(execute: handler) }
        }
    }

    func cleanDisk(then handler: (@Sendable () -> Void)?) {
        reader.submit(priority: 0) { [self] in
            // Cleaning that fails half way has removed what it could, and the rest goes next time.
            let expired = (try? diskStorage.removeExpiredValues()) ?? []
            let trimmed = (try? diskStorage.removeSizeExceededValues()) ?? []
            let names = (expired + trimmed).map(\.lastPathComponent)
            DispatchQueue.main.async { [self] in
                if !names.isEmpty {
                    NotificationCenter.default.post(
                        name: .KingfisherDidCleanDiskCache,
                        object: self,
                        userInfo: [KingfisherDiskCacheCleanedHashKey: names]
                    )
                }
                handler?()
            }
        }
    }
}
